/** The REPL's state in the status bar: what is worth a word there, and what the mouse is told. */
import { showHidden } from "../../server/src/workspace/hidden-characters.ts";
import type { ReplStatus } from "../../server/src/protocol/repl-shapes.ts";

export interface Chosen {
  readonly id: string;
  /** Absent while the program does not run. */
  readonly pid?: number;
}

export interface StatusWords {
  readonly text: string;
  /** Markdown. */
  readonly details: string;
  readonly isBad: boolean;
}

const CONSENT: Readonly<Record<string, string>> = {
  needed: "asks before it runs open",
  asked: "waits for your answer in the chat",
  refused: "not allowed to run open; a restart asks again",
};

export function statusWords(state: ReplStatus | undefined, isBusy: boolean, chosen?: Chosen): StatusWords {
  const isRefused = state?.consent === "refused";
  const isDead = state?.state === "dead" && !isRefused;
  const words = [isBusy || state?.state === "busy" ? "$(loading~spin)" : isDead ? "$(error)" : "$(terminal)", "REPL"];
  words.push(...marksOf(state, isRefused));
  const details = [partsOf(state, isRefused).join(" · ")];
  if (state?.missing !== undefined) details.push(plain(state.missing));
  const program = chosen === undefined ? undefined : programWords(chosen);
  if (program !== undefined) words.push(program.text);
  details.push(program?.details ?? plain(state?.confinementDetail ?? ""));
  return { text: words.join(" "), details: details.join("\n\n"), isBad: isDead || program?.isBad === true };
}

function marksOf(state: ReplStatus | undefined, isRefused: boolean): string[] {
  if (state === undefined) return [];
  const marks = isRefused ? ["not allowed"] : state.state === "dead" ? ["dead"] : [];
  if (state.pid !== undefined && state.level !== "walled") marks.push(state.level);
  return state.locked === true ? [...marks, "$(lock)"] : marks;
}

function programWords({ id, pid }: Chosen): StatusWords {
  const running = pid === undefined ? "not running" : `process ${pid}`;
  return {
    text: `→ ${showHidden(id)}${pid === undefined ? " (not running)" : ""}`,
    details: `Forms go to ${plain(id)} (${running}), which nothing confines.`,
    isBad: pid === undefined,
  };
}

function partsOf(state: ReplStatus | undefined, isRefused: boolean): string[] {
  if (state === undefined) return ["REPL not started"];
  const word = state.state === "notStarted" || isRefused ? "not started" : state.state;
  const parts = [`REPL ${word}`, state.level, state.nodeVersion];
  if (state.consent !== undefined) parts.push(CONSENT[state.consent] ?? "");
  if (state.locked === true) parts.push("locked for the agent");
  if (state.reason !== undefined && !isRefused) parts.push(plain(state.reason.split("\n")[0] ?? ""));
  return parts.filter((part) => part !== "");
}

/** Text in which Markdown finds nothing. */
function plain(text: string): string {
  return showHidden(text).replaceAll(/[\\`*_{}[\]()#+\-.!<>|~$&:]/g, String.raw`\$&`);
}
