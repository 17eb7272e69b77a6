/** The last error of the REPL in full: cause chain, parts, frames in TypeScript positions, and the form. */
import { pathToFileURL } from "node:url";
import { shortened } from "../../base/cut-text.ts";
import type { HistoryItem } from "../../protocol/repl-shapes.ts";
import type { Repl } from "../../repl/repl.ts";
import { defineTool, type Tool } from "../tool.ts";
import { indented } from "../answers/quoted-text.ts";
import { renderError } from "../answers/rendered/render-evaluation.ts";
import type { ProjectNames } from "./project-names.ts";

const MAX_FORM = 2000;

export function createGetLastError(
  repl: Pick<Repl, "lastError" | "evaluation">,
  { showUri }: Pick<ProjectNames, "showUri">,
): Tool {
  return defineTool({
    name: "get_last_error",
    description:
      "Answers the last error of an evaluation in the REPL, the person's or the agent's, or how it was stopped; also an " +
      "error that came after the form had given its value: message, other properties, cause chain, stack in TypeScript " +
      "positions with the code lines, and the form that raised it. nil when there was none.",
    input: { type: "object", properties: {}, additionalProperties: false },
    isOffered: false,
    safety: "safe",
    categories: ["execution"],
    run: async () => {
      const last = repl.lastError();
      if (last === undefined) return null;
      const form = shortened(last.code, MAX_FORM);
      const origin = originOf(repl.evaluation(last.evalId), showUri);
      // The form below is the code of its own frames, where it is one line.
      const frames = last.error.frames.map(({ code, ...frame }) =>
        code === undefined || (frame.uri === `repl:${last.evalId}` && !form.includes("\n"))
          ? frame
          : { ...frame, code },
      );
      return `${renderError({ ...last.error, frames }, showUri)}\nform ${last.evalId}${origin}:\n${indented(form)}`;
    },
  });
}

/** Whose form it was, where it ran, and whether the error came when the form was already over. */
function originOf(item: HistoryItem | undefined, showUri: ProjectNames["showUri"]): string {
  if (item === undefined) return "";
  const where = item.module === undefined ? "" : `, in ${showUri(pathToFileURL(item.module).href)}`;
  const late = item.outcome === "value" ? ", raised in the background: the form itself gave its value" : "";
  const lost = item.stateKept ? "" : ", its process is gone";
  return ` (${item.by}${where}${late}${lost})`;
}
