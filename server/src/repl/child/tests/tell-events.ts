/** How a reporter inside of a test runner says what happens: at once, so that it is known also where the run is stopped. */
import { appendFileSync } from "node:fs";
import { EVENTS_VARIABLE } from "./events-variable.ts";
import type { TestEvent } from "./test-events.ts";

const file = process.env[EVENTS_VARIABLE] ?? "";
// A test may replace the function.
const append = appendFileSync;

export function tell(event: TestEvent): void {
  append(file, `${JSON.stringify(event)}\n`);
}
