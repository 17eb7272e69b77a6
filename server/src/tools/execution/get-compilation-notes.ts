/** What the compiler said about the latest forms, the person's and the agent's. */
import { pathToFileURL } from "node:url";
import { shortened } from "../../base/cut-text.ts";
import type { CompilationNotes } from "../../repl/stages/checking/type-checks.ts";
import type { Repl } from "../../repl/repl.ts";
import { defineTool, type Tool, type ToolAnswer } from "../tool.ts";
import { renderNote } from "../answers/rendered/render-evaluation.ts";
import type { ProjectNames } from "./project-names.ts";

const MAX_FORM = 120;
const MAX_NOTES = 20;

export function createGetCompilationNotes(
  repl: Pick<Repl, "compilationNotes">,
  { showUri }: Pick<ProjectNames, "showUri">,
): Tool {
  return defineTool({
    name: "get_compilation_notes",
    description:
      "Answers what the compiler said of the latest forms evaluated in the REPL: errors by form and position. Forms run " +
      "in spite of type errors. nil when no form was evaluated.",
    input: { type: "object", properties: {}, additionalProperties: false },
    isOffered: false,
    safety: "safe",
    categories: ["execution"],
    run: async (_args, { signal }): Promise<ToolAnswer | null> => {
      const all = await repl.compilationNotes(signal);
      if (all.length === 0) return null;
      const silent = all.filter(({ state, notes }) => state === "checked" && notes.length === 0);
      const telling = all.filter((each) => each.state !== "nothing" && !silent.includes(each));
      const lines = telling.map((each) => describe(each, showUri));
      const ids = silent.map(({ evalId }) => evalId).join(", ");
      if (ids !== "") lines.push(`No type error in form${silent.length === 1 ? "" : "s"} ${ids}.`);
      const complete = all.every(({ state }) => state !== "pending");
      const content = lines.join("\n\n") || "The latest forms have nothing to check.";
      return complete ? { content } : { content, complete, notes: ["Some forms are still being checked; ask again."] };
    },
  });
}

function describe(noted: CompilationNotes, showUri: ProjectNames["showUri"]): string {
  const { evalId, by, module, code } = noted;
  const line = code.replaceAll(/\s+/g, " ").trim();
  const shown = shortened(line, MAX_FORM);
  const where = module === undefined ? "" : ` in ${showUri(pathToFileURL(module).href)}`;
  const head = `form ${evalId} (${by}${where}): ${shown}`;
  const texts = noteLines(noted, showUri).map((text) => `  ${text}`);
  return [head, ...texts].join("\n");
}

/** What the compiler said of one form. */
export function noteLines(
  { state, reason, notes }: Pick<CompilationNotes, "state" | "reason" | "notes">,
  showUri: ProjectNames["showUri"],
): string[] {
  if (state === "pending") return ["still being checked"];
  if (state === "unchecked") return [`not checked: ${reason ?? "no reason given"}`];
  const outcome = state === "invalid" ? ["did not compile, nothing of it ran:"] : [];
  const rest = notes.length > MAX_NOTES ? [`… ${notes.length - MAX_NOTES} more`] : [];
  return [...outcome, ...notes.slice(0, MAX_NOTES).map((note) => renderNote(note, showUri)), ...rest];
}
