/** Gives the REPL a fresh process, and runs forms of the history again in it. */
import type { HistoryItem } from "../../protocol/repl-shapes.ts";
import type { Repl } from "../../repl/repl.ts";
import { defineTool, ToolFailure, type Tool } from "../tool.ts";
import type { ExecutionSafety } from "./execution-safety.ts";
import { renderItem } from "./get-repl-history.ts";
import type { ProjectNames } from "./project-names.ts";
import { given } from "../../base/given.ts";
import { plural } from "../../base/plural.ts";

const TIMEOUT_MS = 300_000;
const MAX_SHOWN = 20;

/** As safe as evaluations are, because a replay is a row of them. */
export function createRestartRepl(
  repl: Pick<Repl, "restart">,
  { showUri }: Pick<ProjectNames, "showUri">,
  options: ExecutionSafety,
): Tool {
  return defineTool({
    name: "restart_repl",
    description:
      "Starts the REPL's process afresh; with `replay` forms of the history run again, with all their effects. " +
      "An endless form needs no restart: it is stopped, its state stays.",
    input: {
      type: "object",
      properties: {
        replay: {
          type: "array",
          items: { type: "string" },
          description: 'Ids of get_repl_history, or ["all"]. Nothing is run again without it.',
        },
      },
      additionalProperties: false,
    },
    told: {
      replay: { type: "array", items: { type: "string" }, description: 'Ids of get_repl_history, or ["all"].' },
    },
    ...options,
    categories: ["execution", "repl"],
    timeoutMs: TIMEOUT_MS,
    run: async ({ replay }, { signal }) => {
      const all = replay?.includes("all") === true ? "all" : replay;
      const answer = await repl.restart(given({ replay: all }), signal);
      if (answer.unknown !== undefined) {
        throw new ToolFailure(`Nothing was restarted: no form that succeeded has the id ${answer.unknown.join(", ")}.`);
      }
      const lines = [
        answer.state === "dead"
          ? `The REPL could not be started again: ${answer.reason ?? "unknown"}`
          : "The REPL runs in a fresh process.",
      ];
      const { lost, replayed } = answer;
      if (lost !== undefined) lines.push(`Gone with the old one: ${lost}.`);
      if (replayed !== undefined) {
        const failed = replayed.filter(({ outcome }) => outcome !== "value").length;
        const forms = plural(replayed.length, "form was", "forms were");
        const ending = failed === 0 ? "" : `, ${failed} of them failed`;
        lines.push(`${forms} run again${ending}${replayed.length === 0 ? "." : ":"}`);
        lines.push(...shownOf(replayed).map((item) => renderItem(item, showUri)));
        const left = replayed.length - shownOf(replayed).length;
        if (left > 0) lines.push(`(${left} more are not shown: get_repl_history lists them)`);
      }
      return lines.join("\n");
    },
  });
}

/** All items where they are few, else the failed ones and the last of the others, in their order. */
function shownOf(replayed: readonly HistoryItem[]): readonly HistoryItem[] {
  if (replayed.length <= MAX_SHOWN) return replayed;
  const failed = replayed.filter(({ outcome }) => outcome !== "value").slice(0, MAX_SHOWN);
  const last =
    failed.length === MAX_SHOWN
      ? []
      : replayed.filter((item) => !failed.includes(item)).slice(failed.length - MAX_SHOWN);
  return replayed.filter((item) => failed.includes(item) || last.includes(item));
}
