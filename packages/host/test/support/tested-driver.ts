import { chooseDriver } from '../../src/http/choose-driver.js';
import { DRIVER_CHOICES, DRIVER_NAMES, type DriverChoice } from '../../src/http/driver.js';

/** What can serve HTTP here: uWebSockets.js has no binary for some systems. */
const { missing } = await chooseDriver();
export const DRIVERS = DRIVER_NAMES.filter((name) => name !== 'uws' || missing === null);

/** What serves HTTP in the servers of a test. `http-drivers.full.test.ts` runs tests again with another one. */
export function testedDriver(): DriverChoice {
  const { HTTP_DRIVER = 'auto' } = process.env;
  return DRIVER_CHOICES.find((choice) => choice === HTTP_DRIVER) ?? 'auto';
}
