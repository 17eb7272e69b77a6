/**
 * The parts that all runners behind the wall share: a plan becomes a program, and the files that it left become a run.
 */
import type { TestPlan } from "../test-files.ts";
import { tailOf } from "../../../base/cut-text.ts";
import type { TestOutcome, TestRequest } from "../test-run.ts";
import type { RoomProgram, TestRoom } from "./test-room.ts";

export interface PlanSetting {
  readonly plan: TestPlan;
  readonly request: TestRequest;
  readonly room: TestRoom;
  readonly nodePath: string;
  /** The beginning of the names of all files that are handed to the plan's program; unique for the plan. */
  readonly prefix: string;
  /** How long the tests may run, in milliseconds. */
  readonly limitMs: number;
}

/** How a program ended. */
export interface ProgramEnd {
  /** Undefined for a program that was stopped or did not run. */
  readonly code?: number;
  /** The beginning of the program's output. */
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
  /** Reads what the program left. Never rejects for its content. */
  readonly read: (end: ProgramEnd) => Promise<ToldByProgram>;
  /** How much longer than the tests the program may take, when the program keeps the time limit itself. */
  readonly slackMs?: number;
  /** A program that lists the files of the run, when the first program does not report them. */
  readonly list?: RoomProgram;
}

/** Answers a sentence when the tests cannot be run. */
export type PrepareRun = (setting: PlanSetting) => Promise<PreparedRun | string>;

const TAIL = 2_000;

/** The reason why a program ended badly, when the program itself reported none. */
export function endedBadly({ code, printed }: ProgramEnd): string | undefined {
  if (code === undefined || code === 0) return undefined;
  const tail = tailOf(printed.trim(), TAIL);
  return `it ended with code ${code}${tail === "" ? " and printed nothing" : `:\n${tail}`}`;
}
