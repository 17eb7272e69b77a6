/**
 * Modules of the project come from the server: it resolves them as TypeScript does, knows unsaved buffers, transpiles,
 * and gives a changed module a new URL. Node loads all other modules (built-ins, node_modules).
 */
import { isBuiltin, type LoadHookSync, type ResolveHookSync } from "node:module";
import { shieldedMap, shieldedSet, uncurried } from "../../shared/captured.ts";
import { OWN_FOLDER } from "../../shared/own-folder.ts";
import { KERNEL_NAME } from "../../wire/kernel-name.ts";
import type { ModuleQuestions } from "./module-questions.ts";

/**
 * In Node 22, the `require` of a CommonJS module that was imported does not call the hooks, so the module gets another
 * `require`.
 */
const MENDS_REQUIRE = process.version.startsWith("v22.");
const OWN_REQUIRE = `$&require=${KERNEL_NAME}.requireOf(__filename);`;

type ResolveContext = Parameters<ResolveHookSync>[1];
type NextResolve = Parameters<ResolveHookSync>[2];
type LoadContext = Parameters<LoadHookSync>[1];
type NextLoad = Parameters<LoadHookSync>[2];

export class ModuleHooks {
  readonly #questions: ModuleQuestions;
  readonly #replUrl: string;
  /**
   * The URLs of a module's imports, which came together with the module: Node asks for each once before the module
   * runs.
   */
  readonly #ahead = shieldedMap<string, string>();
  /** Modules whose text Node has and that have not begun to run. */
  readonly #toBegin = shieldedSet<string>();
  /** The URLs that were loaded as ES modules, in this order. */
  readonly loads: string[] = [];

  constructor(questions: ModuleQuestions, replUrl: string) {
    this.#questions = questions;
    this.#replUrl = replUrl;
  }

  /** Whether this is the module's first call since it was loaded; true once for each load. */
  begins(url: string): boolean {
    return this.#toBegin.delete(url);
  }

  resolve(specifier: string, context: ResolveContext, next: NextResolve): ReturnType<ResolveHookSync> {
    const parent = isOwn(context.parentURL) ? this.#replUrl : (context.parentURL as string);
    const settled = isBuiltin(specifier) || isInline(specifier);
    if (settled || !parent.startsWith("file:") || parent.includes("/node_modules/")) return next(specifier, context);
    const key = aheadKey(parent, specifier, context.conditions);
    const known = this.#ahead.get(key);
    if (known !== undefined) {
      this.#ahead.delete(key);
      return { url: known, shortCircuit: true };
    }
    const answer = this.#questions.resolve(specifier, parent, [...(context.conditions ?? [])]);
    if (answer.url === undefined) return next(specifier, { ...context, parentURL: parent });
    const format = answer.format === undefined ? {} : { format: answer.format };
    return { url: answer.url, shortCircuit: true, ...format };
  }

  load(url: string, context: LoadContext, next: NextLoad): ReturnType<LoadHookSync> {
    if (!url.startsWith("file:") || url.includes("/node_modules/")) return next(url, context);
    // A `require` has no attributes, although the types say otherwise.
    const attributes = context.importAttributes as Readonly<Record<string, string>> | undefined;
    const isRequire = context.conditions?.includes("require") ?? false;
    const json = isRequire ? "require" : attributes?.["type"] === "json" ? "attribute" : "plain";
    const conditions = isRequire || context.conditions === undefined ? {} : { conditions: [...context.conditions] };
    const answer = this.#questions.load({ url, json, ...conditions });
    for (const [specifier, target] of answer.ahead ?? []) {
      this.#ahead.set(aheadKey(url, specifier, context.conditions), target);
    }
    if (answer.source === undefined || answer.format === undefined) return next(url, context);
    this.#toBegin.add(url);
    if (!isRequire) this.loads[this.loads.length] = url;
    const isMended = MENDS_REQUIRE && answer.format === "commonjs" && !isRequire;
    const source = isMended ? answer.source.replace(/^"use strict";|^/, OWN_REQUIRE) : answer.source;
    return { format: answer.format, source, shortCircuit: true };
  }
}

function isOwn(url: string | undefined): boolean {
  return url === undefined || url.startsWith(OWN_FOLDER);
}

/** A module whose text is in its URL is no file. */
export function isInline(specifier: string): boolean {
  return uncurried.startsWith(specifier, "data:");
}

function aheadKey(parent: string, specifier: string, conditions: readonly string[] = []): string {
  let key = `${parent}\n${specifier}`;
  for (let index = 0; index < conditions.length; index++) key += `\n${conditions[index] ?? ""}`;
  return key;
}
