/** A run as our reporter wrote it to a file of events. */
import { relative } from "node:path";
import { printedBy } from "../printed-by-files.ts";
import { eventsIn, outcomesOf, unfinishedFile } from "../told-events.ts";
import { EVENTS_VARIABLE } from "../../child/tests/events-variable.ts";
import { endedBadly, type PlanSetting, type ProgramEnd, type ToldByProgram } from "./walled-plan.ts";

export function eventsName({ prefix }: PlanSetting): string {
  return `${prefix}events.jsonl`;
}

export function eventsVariable(setting: PlanSetting): Record<string, string> {
  return { [EVENTS_VARIABLE]: setting.room.pathOf(eventsName(setting)) };
}

export async function readEvents(setting: PlanSetting, end: ProgramEnd): Promise<ToldByProgram> {
  const events = eventsIn((await setting.room.left(eventsName(setting))) ?? "");
  const all = <Value>(pick: (event: (typeof events)[number]) => Value | undefined): Value[] =>
    events.map(pick).filter((value) => value !== undefined);
  const told = outcomesOf(events);
  const closed = new Set(all((event) => ("closes" in event ? event.closes : undefined)));
  const open = new Set(
    all((event) => ("opens" in event ? event.opens : undefined)).filter((file) => !closed.has(file)),
  );
  const unfinished = told.filter(({ state }) => state === "unfinished");
  const cut = [...open].filter((file) => !unfinished.some((outcome) => outcome.file === file));
  const outcomes = [...told, ...cut.map(unfinishedFile)];
  const planned = all((event) => ("planned" in event ? event.planned : undefined)).flat();
  const begun = new Set(outcomes.map(({ file }) => file));
  const isTold = outcomes.some(({ state }) => state === "failed");
  const [late] = all((event) => ("problem" in event ? event.problem : undefined));
  const problem = late ?? (isTold ? undefined : endedBadly(end));
  return {
    outcomes,
    output: outputOf(setting, events, outcomes),
    ...(problem === undefined ? {} : { problem }),
    ...(planned.length === 0 ? {} : { notRun: planned.filter((file) => !begun.has(file)) }),
  };
}

function outputOf(
  { plan }: PlanSetting,
  events: ReturnType<typeof eventsIn>,
  outcomes: ToldByProgram["outcomes"],
): string {
  const prints = events.flatMap((event) => ("prints" in event ? [event] : []));
  const files = Map.groupBy(prints, ({ file }) => file);
  const runs = [...files].map(([file, told]) => ({
    file: relative(plan.root, file),
    output: told.map((each) => each.prints).join(""),
    outcomes: outcomes.filter((outcome) => outcome.file === file),
  }));
  return printedBy(runs, new Set(outcomes.map(({ file }) => file)).size > 1);
}
