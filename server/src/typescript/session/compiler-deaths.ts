/** How often the compiler died in a row: how long to rest before the next start, when to give up, and what to tell. */
import { capitalized } from "../../base/capitalized.ts";

interface Rest {
  /** Between a death and the next start at any rate, in milliseconds: what dies at once is not started in a busy loop. */
  readonly least: number;
  /** As long as nobody waits for an answer. */
  readonly most: number;
}

/** By the number of deaths; the last one stands for all further ones. */
const RESTS_MS = [0, 0, 100, 400, 1_600, 6_400];
const REST_WHILE_AWAITED_MS = 100;
/** A compiler that got stuck cost much time: its end is counted as several deaths. */
const MAX_FAILED_STARTS = 5;
/** A process that lived this long did not die of how it was started, nor of what the one before died of. */
const HEALTHY_MS = 30_000;

export class CompilerDeaths {
  #inARow = 0;
  #failedStarts = 0;
  #reason = "";

  /** A process died that had answered. */
  noteDeath(reason: string, livedMs: number): void {
    this.#inARow = livedMs > HEALTHY_MS ? 1 : this.#inARow + 1;
    this.#reason = reason;
  }

  /** A process died, or never came to be, before it could answer. */
  noteFailedStart(reason: string): void {
    this.#inARow += 1;
    this.#failedStarts += isStuck(reason) ? Math.ceil(MAX_FAILED_STARTS / 2) : 1;
    this.#reason = reason;
  }

  noteStarted(): void {
    this.#failedStarts = 0;
  }

  /** True when only the next question is a reason to try once more. */
  isHopeless(): boolean {
    return this.#failedStarts >= MAX_FAILED_STARTS;
  }

  rest(): Rest {
    const most = RESTS_MS[Math.min(this.#inARow, RESTS_MS.length - 1)] ?? 0;
    return { least: Math.min(most, REST_WHILE_AWAITED_MS), most };
  }

  /** Why no process runs. */
  story(): string {
    const times = this.#inARow === 1 ? "it died" : `it died ${this.#inARow} times in a row, the last time`;
    return `${times}: ${this.#reason}`;
  }

  /** The sentence for a reader whose question finds no process. */
  whyNone(): string {
    return `The TypeScript compiler does not run: ${this.story()}. ${adviceOn(this.#reason)} The next question tries to start it once more; tools that need no compiler work meanwhile.`;
  }

  /** The sentence for a question that was asked twice, and under which the process died both times. */
  whyUnanswered(reason: string): string {
    if (this.#inARow <= 2) return `${capitalized(reason)}; it is being restarted, ask again.`;
    return `The TypeScript compiler died ${this.#inARow} times in a row, the last time under this question: ${reason}. It is being restarted. If this question is what it dies of, ask a narrower one. ${adviceOn(reason)}`;
  }
}

function isStuck(reason: string): boolean {
  return /stood still|in a circle|GB of memory|was not done/.test(reason);
}

function adviceOn(reason: string): string {
  if (reason.includes("in a circle")) return "Take one of the extends out.";
  if (reason.includes("stood still")) {
    return "Mostly a tsconfig.json that extends itself, also by way of others, is the reason.";
  }
  if (isStuck(reason)) {
    return "Mostly a link in the project that leads to much else, or a generated file, is the reason: leave it out of the workspace or out of tsconfig.json.";
  }
  if (reason.includes("SIGKILL")) {
    return "A process that is killed from outside has mostly taken too much memory: close other programs, or open fewer folders.";
  }
  if (/cannot start|Unable to resolve|^spawn /.test(reason)) {
    return 'Type "agentq doctor" to see what is missing; "npm install" in the folder of agentq mends most of it.';
  }
  if (reason.includes("stack overflow")) {
    return "Mostly imports of a package.json that name each other in a circle are the reason.";
  }
  return "The server's log holds its last words.";
}
