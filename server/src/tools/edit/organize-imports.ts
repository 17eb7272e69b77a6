/** `organize_imports`: the compiler sorts a file's imports, merges them, or drops the unused ones, as a proposal. */
import { sourceActions } from "../../typescript/edits/code-actions.ts";
import { findOwnFile } from "../../typescript/names/find-file.ts";
import { answerFrom } from "../introspection/answer-text.ts";
import { defineTool, ToolFailure, type Tool, type ToolAnswer } from "../tool.ts";
import { checkAfter } from "./compiler-check.ts";
import {
  describeReview,
  prepareEdit,
  proposeEdit,
  withinDeadline,
  type CompilerEditPorts,
  type PreparedEdit,
} from "./compiler-edit.ts";

const MODES = {
  all: { kind: "source.organizeImports", what: "Organize imports (sort, merge, drop unused)" },
  sort: { kind: "source.sortImports", what: "Sort and merge imports" },
  remove_unused: { kind: "source.removeUnusedImports", what: "Remove unused imports" },
} as const;

export function createOrganizeImports(ports: CompilerEditPorts): Tool {
  return defineTool({
    name: "organize_imports",
    description:
      "Let the compiler tidy the imports of one file: sort and merge them and drop the unused ones (mode all), or only " +
      "one of the two. A proposal; the person reviews it and the answer tells what was applied.",
    safety: "dangerous",
    categories: ["edit"],
    timeoutMs: null,
    asksItself: true,
    unavailable: ports.unavailable,
    input: {
      type: "object",
      properties: {
        file: { type: "string", minLength: 1, description: "Path relative to the workspace folder." },
        mode: { enum: ["all", "sort", "remove_unused"], description: "Default all." },
      },
      required: ["file"],
      additionalProperties: false,
    },
    run: async (args, context): Promise<ToolAnswer> => {
      const { kind, what } = MODES[args.mode ?? "all"];
      let edit: PreparedEdit | undefined;
      let shown = args.file;
      const answer = await withinDeadline(context.signal, (signal) =>
        answerFrom(ports.typescript, signal, async (view) => {
          const file = findOwnFile(view, args.file);
          if (typeof file !== "string") throw new ToolFailure(file.reason);
          shown = view.paths.show(file);
          const [action] = await sourceActions(view, file, kind);
          edit = await prepareEdit(ports, view, action?.files ?? []);
          return { content: `Nothing to propose: the imports of ${shown} are already like that.` };
        }),
      );
      if (edit === undefined || edit.documents.length === 0) return answer;
      const title = `${what.replace(/ \(.*/, "")}: ${shown}`;
      const outcome = await proposeEdit(ports, context, { title, why: `${what} in ${shown}.`, edit });
      const check = await checkAfter(ports.typescript, edit.before, outcome, context.signal);
      return { ...answer, content: [describeReview(outcome), ...check].join("\n") };
    },
  });
}
