export { type ParsedStack, parseStack } from './parse-stack.js';
