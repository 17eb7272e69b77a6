/** What users of other REPLs reported, and what a kernel's test bed asks for, as cases in our own words. */
import type { CaseGroup } from "./case.ts";
import { awaiting } from "./cases/awaiting.ts";
import { declarations } from "./cases/declarations.ts";
import { modules } from "./cases/modules.ts";
import { printing } from "./cases/printing.ts";
import { syntax } from "./cases/syntax.ts";

export const caseGroups: readonly CaseGroup[] = [declarations, awaiting, syntax, modules, printing];
