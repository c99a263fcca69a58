import { DRIVER_CHOICES, type DriverChoice } from '../../src/http/driver.js';

/** What serves HTTP in the servers of a test. `http-drivers.full.test.ts` runs tests again with another one. */
export function testedDriver(): DriverChoice {
  const { HTTP_DRIVER = 'auto' } = process.env;
  return DRIVER_CHOICES.find((choice) => choice === HTTP_DRIVER) ?? 'auto';
}
