/** What is common to all runners behind the wall: a plan becomes a program, and what the program left becomes a run. */
import type { TestPlan } from "../test-files.ts";
import { tailOf } from "../../../base/cut-text.ts";
import type { TestOutcome, TestRequest } from "../test-run.ts";
import type { RoomProgram, TestRoom } from "./test-room.ts";

export interface PlanSetting {
  readonly plan: TestPlan;
  readonly request: TestRequest;
  readonly room: TestRoom;
  readonly nodePath: string;
  /** Unique for the plan: the beginning of the names of files that are handed to its program. */
  readonly prefix: string;
  /** How long the tests may run, in milliseconds. */
  readonly limitMs: number;
}

/** How a program ended. */
export interface ProgramEnd {
  /** Undefined for one that was stopped or never ran. */
  readonly code?: number;
  /** The beginning of what it printed. */
  readonly printed: string;
}

export interface ToldByProgram {
  readonly outcomes: readonly TestOutcome[];
  readonly output: string;
  readonly problem?: string;
  readonly notRun?: readonly string[];
  readonly exitCode?: number;
}

export interface PreparedRun {
  readonly version: string;
  readonly program: RoomProgram;
  /** Reads what the program left; rejects for nothing that a program can leave. */
  readonly read: (end: ProgramEnd) => Promise<ToldByProgram>;
  /** How much longer than the tests the program may take, which keeps their limit itself. */
  readonly slackMs?: number;
  /** Asks for the files that were to run, where the program itself does not tell. */
  readonly list?: RoomProgram;
}

/** Answers a sentence where the tests cannot be run. */
export type PrepareRun = (setting: PlanSetting) => Promise<PreparedRun | string>;

const TAIL = 2_000;

/** Why a program ended badly that told nothing of it. */
export function endedBadly({ code, printed }: ProgramEnd): string | undefined {
  if (code === undefined || code === 0) return undefined;
  const tail = tailOf(printed.trim(), TAIL);
  return `it ended with code ${code}${tail === "" ? " and printed nothing" : `:\n${tail}`}`;
}
