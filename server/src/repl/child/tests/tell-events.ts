/** Writes an event of a reporter at once, so that the event is known even if the run is stopped. */
import { appendFileSync } from "node:fs";
import { EVENTS_VARIABLE } from "./events-variable.ts";
import type { TestEvent } from "./test-events.ts";

const file = process.env[EVENTS_VARIABLE] ?? "";
// Kept here, because a test may replace the function.
const append = appendFileSync;

export function tell(event: TestEvent): void {
  append(file, `${JSON.stringify(event)}\n`);
}
