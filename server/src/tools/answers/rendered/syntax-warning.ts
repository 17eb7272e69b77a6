/** What an answer about a file with syntax errors must say: near them the compiler guesses what was meant. */
import type { DeclarationDetail } from "../../../typescript/names/tree/inspect-declaration.ts";
import type { View } from "../../../typescript/view.ts";
import { plural } from "../../../base/plural.ts";

export async function syntaxWarning(
  view: View,
  { program, source }: Pick<DeclarationDetail, "program" | "source">,
): Promise<string[]> {
  const found = await program.project.program.getSyntacticDiagnostics(source.fileName);
  if (found.length === 0) return [];
  const errors = plural(found.length, "syntax error");
  return [
    `${view.paths.show(source.fileName)} has ${errors}: declarations nearby may be misread; get_diagnostics lists them.`,
  ];
}
