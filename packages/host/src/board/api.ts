import { createCoreApi } from '../client/core-api.js';

export const api = createCoreApi({ url: location.origin });
