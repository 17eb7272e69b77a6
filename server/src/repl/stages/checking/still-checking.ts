/** What the agent hears, and nobody else, while the compiler still looks at its form. */
import type { DiagnosticLine } from "../../../protocol/shapes.ts";

export const STILL_CHECKING: DiagnosticLine = {
  severity: "information",
  message: "The form's types are still being checked; get_compilation_notes answers with the result.",
};
