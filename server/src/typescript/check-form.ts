/**
 * What the compiler says about a form of the REPL. The form is in no file: the side compiler reads it as a module of
 * its own in the project, or as a block at the end of the module in whose scope the form is evaluated.
 */
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { DiagnosticCategory, type Diagnostic } from "typescript/unstable/async";
import type { CheckableText, FormCheck, FormProblem } from "../workspace/checkable-text.ts";
import { specifier } from "./expand/specifier.ts";
import { outermostProgram } from "./expand/type-question.ts";
import { OutwardName } from "./expand/outward-names.ts";
import { basisOf, withAppended, type AppendedModule, type ModuleBasis } from "./expand/side-compiler.ts";
import type { TypeScriptService } from "./typescript-service.ts";
import type { View } from "./view.ts";

/**
 * What is wrong in a file and right in the image: assigning to a name of an earlier form (here an import), unused
 * names, `await` and `.ts` endings whatever the tsconfig says, declarations that are in a block here, specifiers
 * without ending, files of another project than the one whose program checks the form.
 */
const RIGHT_IN_IMAGE = new Set([
  2632, 6133, 6192, 6196, 6198, 6199, 6205, 1375, 1378, 1309, 1432, 5097, 2834, 2835, 1286, 1287, 1295, 1484, 1205,
  7027, 1148, 2691, 2846, 1211, 1231, 1232, 1233, 1235, 6059, 6307,
]);
/**
 * The same in the scope of a module: whatever the module declares may be assigned, `declare` is in a block, and a
 * variable that an earlier form assigned has its value.
 */
const RIGHT_IN_MODULE = new Set([2588, 2628, 2629, 2630, 2631, 1184, 2454]);
/** "Cannot find name": the image has Node's globals and modules even where the project does not include their types. */
const UNKNOWN_NAME = new Set([2304, 2580, 2584, 2591, 2552, 2583, 2868]);
const UNKNOWN_MODULE = new Set([2307, 2882, 2591]);
/** What every form has, and what a form in a CommonJS module has. */
const NAMES_OF_FORMS = new Set(["require", "module", "exports", "__filename", "__dirname"]);
const OF_IMPORT_META = /^Property '(?:dirname|filename|resolve|url)' does not exist on type 'ImportMeta'/;

export async function checkForm(
  service: TypeScriptService,
  form: CheckableText,
  signal: AbortSignal,
): Promise<FormCheck> {
  const basis = await service.query((view) => basisFor(view, form), signal);
  if (basis === undefined) {
    const where = form.module === undefined ? "The workspace has no TypeScript project" : "The module is in no project";
    return { kind: "unchecked", reason: `${where} to check the form against.`, forAll: form.module === undefined };
  }
  const own = form.module === undefined ? join(form.folder, form.name) : undefined;
  const appended = own === undefined ? form.text : `import ${JSON.stringify(specifier(basis.file, own))};`;
  try {
    const diagnostics = await withAppended(basis, appended, (module) => diagnose(module, own, form), signal);
    return { kind: "checked", diagnostics };
  } catch (error) {
    if (error instanceof OutwardName) return { kind: "unchecked", reason: error.message, forAll: false };
    throw error;
  }
}

async function basisFor(
  view: View,
  { module, folder, name, text, earlier, running }: CheckableText,
): Promise<ModuleBasis | undefined> {
  const file = module ?? outermostProgram(view)?.own.find((path) => /\.[cm]?tsx?$/.test(path));
  const basis = file === undefined ? undefined : await basisOf(view, file);
  if (basis === undefined) return undefined;
  const beside = new Map([...earlier].map(([each, content]): [string, string] => [join(folder, each), content]));
  for (const [path, content] of running) beside.set(path, content);
  if (module === undefined) beside.set(join(folder, name), text);
  return { ...basis, text: running.get(basis.file) ?? basis.text, beside };
}

async function diagnose(module: AppendedModule, own: string | undefined, form: CheckableText): Promise<FormProblem[]> {
  const { program } = module.project;
  const file = own ?? module.file;
  const first = (own === undefined ? module.start : 0) + form.start;
  const last = first + form.end - form.start;
  const found = await program.getSemanticDiagnostics(file);
  return found
    .filter((each) => each.category === DiagnosticCategory.Error && !isRightInImage(each, form, first))
    .filter(({ pos, end }) => pos >= first && end <= last)
    .map((each) => ({
      start: each.pos - first,
      end: each.end - first,
      code: `TS${each.code}`,
      // The compiler writes whole paths in messages about modules.
      message: messageOf(each).replaceAll(`${form.folder}/`, ""),
    }));
}

function isRightInImage({ code, pos, end, text }: Diagnostic, form: CheckableText, first: number): boolean {
  if (RIGHT_IN_MODULE.has(code)) return form.module !== undefined;
  if (RIGHT_IN_IMAGE.has(code) || OF_IMPORT_META.test(text)) return true;
  const about = form.text.slice(form.start + pos - first, form.start + end - first);
  if (UNKNOWN_MODULE.has(code) && isBuiltin(about.replaceAll(/^["'`]|["'`]$/g, ""))) return true;
  if (!UNKNOWN_NAME.has(code)) return false;
  return about in globalThis || (NAMES_OF_FORMS.has(about) && (about === "require" || form.module !== undefined));
}

/** The headline and, where the compiler explains it, the innermost reason. */
function messageOf(diagnostic: Diagnostic): string {
  const lines = [diagnostic.text];
  for (let inner = diagnostic.messageChain?.[0]; inner !== undefined; inner = inner.messageChain?.[0])
    lines.push(inner.text);
  return lines.length <= 2 ? lines.join(" ") : `${lines[0]} … ${lines.at(-1)}`;
}
