/**
 * Turns a form into a text that a compiler can check: declarations of earlier forms become imports from modules, one
 * module for each form. The form itself stays as it was written, so that positions in the text are positions in the
 * form.
 */
import { dirname, relative, sep } from "node:path";
import { KERNEL_NAME } from "../../child/wire/kernel-name.ts";
import type { CheckableText } from "../../../workspace/checkable-text.ts";
import { mergeMember, type MemberText } from "../../redefine/member-merge.ts";
import { makeRoom } from "./installed-form.ts";
import { moduleOutline } from "../../source/module-outline.ts";
import type { RunningModule } from "../../redefine/running-texts.ts";
import { parseForm, type ParsedForm } from "./parsed-form.ts";

/** A form to be checked. */
export interface FormToCheck {
  readonly number: number;
  readonly code: string;
  readonly isToInstall: boolean;
}

export interface ModuleText {
  readonly path: string;
  readonly text: string;
}

export interface PreparedForm {
  readonly text: CheckableText;
  /** To be called when the form was evaluated or installed: later forms then see its declarations. */
  readonly keep: (isInstalled: boolean) => void;
  /** The reason why the compiler may be wrong about the form: the form names something that no text declares. */
  readonly doubt?: string;
}

interface KeptForm {
  readonly file: string;
  text: string;
  needs: readonly KeptForm[];
}

/** A form in a module's scope. */
interface KeptBlock {
  readonly block: string;
  readonly imports: readonly string[];
  readonly values: readonly string[];
}

const HANDLE = /^\$([1-9]\d*)$/;
const MAX_FORMS = 300;
const MAX_MODULE_FORMS = 30;

/** A form that parses, and the modules that run another text than their source. */
interface Parsed extends FormToCheck {
  readonly parsed: ParsedForm;
  readonly running: CheckableText["running"];
}

interface Imports {
  readonly text: string;
  readonly needs: readonly KeptForm[];
}

export class FormModules {
  readonly #folder: string;
  readonly #declaredBy = new Map<string, KeptForm>();
  readonly #inModules = new Map<string, readonly KeptBlock[]>();

  /** `folder` is the project's folder, from which forms import. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Undefined when there is nothing to check, because the form does not parse or has no names. */
  prepare(
    form: FormToCheck,
    module: ModuleText | undefined,
    modules: readonly RunningModule[],
  ): PreparedForm | undefined {
    const parsed = parseForm(form.code);
    if (parsed === undefined || (parsed.uses.size === 0 && parsed.values.length === 0)) return undefined;
    // A tool made the form, and no person or model.
    if (parsed.uses.has(KERNEL_NAME)) return undefined;
    const whole = { ...form, parsed, running: new Map(modules.map(({ path, text }) => [path, text])) };
    const doubt = doubtOf(parsed, modules, this.#folder);
    const prepared = module === undefined ? this.#asModule(whole) : this.#inModule(whole, module);
    return doubt === undefined ? prepared : { ...prepared, doubt };
  }

  /** One method was installed in a class that an earlier form declared. */
  keepMember(member: MemberText): void {
    const kept = this.#declaredBy.get(member.owner);
    if (kept !== undefined) kept.text = mergeMember(kept.file, kept.text, member) ?? kept.text;
  }

  forget(): void {
    this.#declaredBy.clear();
    this.#inModules.clear();
  }

  #asModule({ number, code, parsed, running }: Parsed): PreparedForm {
    const { text: imports, needs } = this.#importsFor(number, parsed, this.#folder, () => false);
    const name = `__repl_${number}__${parsed.extension}`;
    const plain = (names: readonly string[]): string => names.filter((each) => !parsed.exported.has(each)).join(", ");
    const last = parsed.lastExpression;
    const tail = [
      `export { ${plain(parsed.values)} };`,
      `export type { ${plain(parsed.types)} };`,
      last === undefined ? "" : `export const $${number} = await (${code.slice(last.start, last.end)});`,
    ];
    const text = `${code}\n;${imports}\n${tail.join("\n")}\n`;
    const kept: KeptForm = { file: name, text, needs };
    const followers = this.#followersOf(kept, code);
    const names = [...parsed.values, ...parsed.types, ...(last === undefined ? [] : [`$${number}`])];
    const earlier = reachable(needs, followers);
    return {
      text: { text, folder: this.#folder, start: 0, end: code.length, name, earlier, running },
      keep: () => this.#keep(kept, names, followers),
    };
  }

  #keep(kept: KeptForm, names: readonly string[], followers: ReadonlyMap<KeptForm, KeptForm>): void {
    for (const [earlier, { text }] of followers) Object.assign(earlier, { text, needs: [...earlier.needs, kept] });
    for (const each of names) {
      this.#declaredBy.delete(each);
      this.#declaredBy.set(each, kept);
    }
    for (const oldest of this.#declaredBy.keys()) {
      if (this.#declaredBy.size <= MAX_FORMS) break;
      this.#declaredBy.delete(oldest);
    }
  }

  /**
   * Earlier forms that declare a class that this form declares again. Their old instances follow the new class, so
   * their texts get the new class too.
   */
  #followersOf(by: KeptForm, code: string): ReadonlyMap<KeptForm, KeptForm> {
    const followers = new Map<KeptForm, KeptForm>();
    for (const { name, kind } of moduleOutline(by.file, code)?.declarations ?? []) {
      const earlier = kind === "class" ? this.#declaredBy.get(name) : undefined;
      if (earlier !== undefined) followers.set(earlier, supersede(followers.get(earlier) ?? earlier, name, by));
    }
    return followers;
  }

  #inModule({ number, code, isToInstall, parsed, running }: Parsed, module: ModuleText): PreparedForm {
    // A name that occurs in the module is the module's, so it is not imported from earlier forms.
    const words = new Set(module.text.match(/[\p{ID_Start}$_][\p{ID_Continue}$]*/gu));
    const { text: imports, needs } = this.#importsFor(number, parsed, dirname(module.path), (word) => words.has(word));
    const block = blanked(code, parsed);
    const before = this.#inModules.get(module.path) ?? [];
    const isHiding = before.some(({ values }) => values.some((value) => parsed.uses.has(value)));
    const room = isToInstall && !isHiding ? makeRoom(module.path, module.text, code) : undefined;
    const head = room === undefined ? `;async () => {\n${before.map((each) => `${each.block}\n;{\n`).join("")}` : "\n";
    const foot = room === undefined ? `\n${"}".repeat(before.length)}};` : `\n${room.exports}`;
    const own = parsed.topLevelOnly.filter(({ isImport }) => isImport).map(({ start, end }) => code.slice(start, end));
    const hoisted = [...new Set([...before.flatMap((each) => each.imports), ...own])];
    return {
      text: {
        text: `${head}${block}${foot}${imports}\n${hoisted.join("\n")}\n`,
        folder: this.#folder,
        start: head.length,
        end: head.length + code.length,
        module: module.path,
        name: `__repl_${number}__${parsed.extension}`,
        earlier: reachable(needs),
        running: room === undefined ? running : new Map([...running, [module.path, room.text]]),
      },
      keep: (isInstalled) => {
        const { values, types } = parsed;
        if (values.length + types.length === 0) return;
        // From now on the module's text has the form, except for a name that an earlier form hides there.
        const isHidden = before.some((each) => each.values.some((name) => values.includes(name)));
        if (isInstalled && !isHidden) return;
        this.#inModules.set(module.path, [...before, { block, imports: own, values }].slice(-MAX_MODULE_FORMS));
      },
    };
  }

  #importsFor(number: number, parsed: ParsedForm, from: string, isHidden: (name: string) => boolean): Imports {
    const up = relative(from, this.#folder).split(sep).join("/");
    const own = new Set([...parsed.values, ...parsed.types]);
    const needs = new Set<KeptForm>();
    let text = "";
    for (const name of parsed.uses) {
      if (own.has(name) || isHidden(name)) continue;
      const kept = this.#declaredBy.get(name);
      if (kept === undefined) {
        // The value of a form that was not kept, for instance of one in a module's scope, exists too.
        if (Number(HANDLE.exec(name)?.[1]) < number) text += `\ndeclare const ${name}: any;`;
        continue;
      }
      needs.add(kept);
      text += `\nimport { ${name} } from "${up === "" ? "." : up}/${kept.file}";`;
    }
    return { text, needs: [...needs] };
  }
}

/** The earlier form, with the class of the new form in place of its own. */
function supersede(earlier: KeptForm, name: string, by: KeptForm): KeptForm {
  const declarations = moduleOutline(earlier.file, earlier.text)?.declarations ?? [];
  const old = declarations.find((each) => each.name === name && each.kind === "class");
  if (old === undefined) return earlier;
  const again = old.exported ? `\nexport { ${name} };` : "";
  const rest = earlier.text.slice(0, old.start) + earlier.text.slice(old.end);
  return { ...earlier, text: `${rest}\nimport { ${name} } from "./${by.file}";${again}\n` };
}

function reachable(
  needs: readonly KeptForm[],
  instead: ReadonlyMap<KeptForm, KeptForm> = new Map(),
): Map<string, string> {
  const found = new Map<string, string>();
  const open = [...needs];
  for (let form = open.pop(); form !== undefined; form = open.pop()) {
    if (found.has(form.file)) continue;
    found.set(form.file, (instead.get(form) ?? form).text);
    open.push(...form.needs);
  }
  return found;
}

function doubtOf({ uses }: ParsedForm, modules: readonly RunningModule[], folder: string): string | undefined {
  for (const { path, unseen } of modules) {
    const name = unseen.find((each) => uses.has(each));
    if (name !== undefined)
      return `${name} was installed in ${relative(folder, path)}, where the compiler cannot see it.`;
  }
  return undefined;
}

/** The same text with blanks in place of what may not be written in a block: nothing moves. */
function blanked(code: string, { topLevelOnly }: ParsedForm): string {
  let text = code;
  for (const { start, end, isOfValue } of topLevelOnly) {
    const blanks = text.slice(start, end).replace(/[^\n]/g, " ");
    text = text.slice(0, start) + (isOfValue === true ? blanks.replace("    ", "void") : blanks) + text.slice(end);
  }
  return text;
}
