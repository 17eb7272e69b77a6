/** `organize_imports`: the compiler sorts a file's imports, merges them, or drops the unused ones, as a proposal. */
import { sourceActions } from "../../typescript/edits/code-actions.ts";
import { findOwnFile } from "../../typescript/names/find-file.ts";
import { ToolFailure, type Tool } from "../tool.ts";
import { prepareEdit } from "./compiler-edit.ts";
import { defineCompilerEdit } from "./define-compiler-edit.ts";
import type { EditPorts } from "./define-edit.ts";

const MODES = {
  all: { kind: "source.organizeImports", what: "Organize imports (sort, merge, drop unused)" },
  sort: { kind: "source.sortImports", what: "Sort and merge imports" },
  remove_unused: { kind: "source.removeUnusedImports", what: "Remove unused imports" },
} as const;

export function createOrganizeImports(ports: EditPorts): Tool {
  return defineCompilerEdit(ports, {
    name: "organize_imports",
    description:
      "Let the compiler tidy the imports of one file: sort and merge them and drop the unused ones (mode all), or only " +
      "one of the two. A proposal; the person reviews it and the answer tells what was applied.",
    isOffered: false,
    input: {
      type: "object",
      properties: {
        path: { type: "string", minLength: 1, description: "Path relative to the workspace folder." },
        mode: { enum: ["all", "sort", "remove_unused"], description: "Default all." },
      },
      required: ["path"],
      additionalProperties: false,
    },
    plan: async (view, args) => {
      const { kind, what } = MODES[args.mode ?? "all"];
      const file = findOwnFile(view, args.path);
      if (typeof file !== "string") throw new ToolFailure(file.reason);
      const shown = view.paths.show(file);
      const [action] = await sourceActions(view, file, kind);
      return {
        title: `${what.replace(/ \(.*/, "")}: ${shown}`,
        why: () => `${what} in ${shown}.`,
        edit: await prepareEdit(ports, view, action?.files ?? []),
        nothing: `Nothing to propose: the imports of ${shown} are already like that.`,
      };
    },
  });
}
