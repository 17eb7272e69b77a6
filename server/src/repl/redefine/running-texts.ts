/**
 * The definitions that forms installed in running modules, as texts: a compiler that checks a form then sees each
 * module as it runs. A text is dropped with the instance it was made for, which a reload from the source replaces.
 */
import { mergeMember, type MemberText } from "./member-merge.ts";
import type { ModuleService } from "../modules/module-service.ts";
import type { LoadedModule, PreparedModule } from "../modules/module-types.ts";
import { mergeForms } from "./module-merge.ts";
import { moduleOutline } from "../source/module-outline.ts";
import { mergeRunning } from "./running-merge.ts";

export interface RunningModule {
  /** Absolute path, with links resolved. */
  readonly path: string;
  readonly text: string;
  /** Names that are new or changed in the module and that the text does not show. */
  readonly unseen: readonly string[];
}

/** An installed form of declarations, or one member, with the names under which it is reported. */
export interface InstalledText {
  readonly names: readonly string[];
  readonly source?: string;
  readonly member?: MemberText;
}

interface Instance {
  readonly module: Pick<LoadedModule, "path" | "url" | "format" | "text">;
  readonly waiting: InstalledText[];
  /** Everything that was installed, as one form: a large module is then not parsed again for each small form. */
  form: string;
  /** Names of definitions that could not be put into the form. */
  lost: readonly string[];
  running: RunningModule;
}

export class RunningTexts {
  readonly #modules: Pick<ModuleService, "loaded">;
  readonly #instances = new Map<string, Instance>();

  constructor(modules: Pick<ModuleService, "loaded">) {
    this.#modules = modules;
  }

  installed(module: PreparedModule, what: InstalledText): void {
    const known = this.#instances.get(module.path);
    (known?.module.url === module.url ? known : this.#add(module)).waiting.push(what);
  }

  /** The module was reloaded together with its installed definitions. */
  reloaded(path: string): void {
    const now = this.#modules.loaded().find((each) => each.path === path);
    if (now !== undefined) this.#add(now);
  }

  now(): readonly RunningModule[] {
    if (this.#instances.size === 0) return [];
    const current = new Map(this.#modules.loaded().map(({ path, url }) => [path, url]));
    for (const [path, instance] of this.#instances) {
      if (current.get(path) !== instance.module.url) this.#instances.delete(path);
      else for (const each of instance.waiting.splice(0)) install(instance, each);
    }
    return [...this.#instances.values()].map(({ running }) => running);
  }

  #add(module: Instance["module"]): Instance {
    const { path, text } = module;
    const fresh = { module, waiting: [], form: "", lost: [], running: { path, text, unseen: [] } };
    this.#instances.set(path, fresh);
    return fresh;
  }
}

function install(instance: Instance, what: InstalledText): void {
  const { path, text, format } = instance.module;
  // The types of a package are declared in other files than its running code.
  const form = path.includes("/node_modules/") ? undefined : formWith(instance, what);
  const merged = form === undefined ? undefined : mergeRunning(path, text, format, form);
  if (form === undefined || merged === undefined) {
    instance.lost = [...instance.lost, ...what.names.map((name) => name.split(".").at(-1) ?? name)];
    instance.running = { ...instance.running, unseen: [...instance.running.unseen, ...instance.lost] };
    return;
  }
  instance.form = form;
  instance.running = { path, text: merged.text, unseen: [...instance.lost, ...merged.unseen] };
}

function formWith({ module, form }: Instance, { source, member }: InstalledText): string | undefined {
  const { path, text } = module;
  if (member !== undefined) {
    const inForm = mergeMember(path, form, member);
    if (inForm !== undefined) return inForm;
    const owner = moduleOutline(path, text)?.declarations.find(({ name }) => name === member.owner);
    return owner && mergeMember(path, `${form}\n${text.slice(owner.start, owner.end)}`, member);
  }
  if (source === undefined) return undefined;
  const merged = mergeForms(path, form, [source]);
  return "reason" in merged ? undefined : merged.text;
}
