/** The last error of the image in full: cause chain, parts, frames in TypeScript positions, and the form. */
import type { ErrorInfo } from "../../protocol/shapes.ts";
import { defineTool, type Tool } from "../tool.ts";
import { renderError } from "./render-evaluation.ts";

export interface LastErrorPort {
  readonly lastError: () => { readonly error: ErrorInfo; readonly code: string; readonly evalId: string } | undefined;
  readonly showUri: (uri: string) => string;
}

const MAX_FORM = 2000;

export function createGetLastError(image: LastErrorPort): Tool {
  return defineTool({
    name: "get_last_error",
    description:
      "Answers the last error of an evaluation in the REPL, the person's or the agent's: message, cause chain, stack " +
      "in TypeScript positions with the code lines, and the form that raised it. nil when there was none.",
    input: { type: "object", properties: {}, additionalProperties: false },
    safety: "cautious",
    categories: ["execution"],
    run: async () => {
      const last = image.lastError();
      if (last === undefined) return null;
      const form = last.code.length > MAX_FORM ? `${last.code.slice(0, MAX_FORM)}…` : last.code;
      return `${renderError(last.error, image.showUri)}\nform ${last.evalId}:\n${form}`;
    },
  });
}
