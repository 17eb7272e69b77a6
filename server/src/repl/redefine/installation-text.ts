/** Tells a model in text what was installed, who sees it and who does not. */
import { headOf } from "../../base/cut-text.ts";
import type { Installation, NameReport, Reload } from "./installation.ts";
import { plural } from "../../base/plural.ts";

const MAX_SHOWN = 12;
const MAX_VALUE = 200;

export function renderInstallation(report: Installation): string {
  const where = report.module ?? "the REPL's own names";
  const lines: string[] = [];
  // Editors show the first line behind the form, so the first line tells the result of the form.
  for (const each of report.names) lines.push(...nameLines(each, report));
  if (report.isLoadedNow) lines.push(`${where} was not loaded, so it was loaded first.`);
  // V8 needs hundreds of milliseconds to list what functions hold in their own variables.
  if (report.names.some((each) => each.isLookedFor === true && !isKnown(each))) {
    lines.push("old copies in variables inside of functions are not looked for");
  }
  for (const name of report.types) {
    lines.push(`type ${name}: nothing to install, types do not exist at run time.`);
  }
  if (report.newImports.length > 0) {
    const names = report.newImports.join(", ");
    lines.push(`copied by the form's import: ${names} (a copy of what the other module exports now).`);
  }
  if (report.reload !== undefined) lines.push(...reloadLines(report.reload, report));
  if (report.isBehindSource) {
    const later = report.isFixed ? "the program loads the source when it starts anew" : ANEW;
    lines.push(
      `The source of ${where} has changed since it was loaded: this went into the running code, and ${later}.`,
    );
  }
  if (lines.length === 0) lines.push("No name was installed; what the form assigned was not looked at.");
  return lines.join("\n");
}

const ANEW = "the next import of the module loads the source anew";

function reloadLines(
  { isDone, paths, losses, methods }: Reload,
  { newExports, newImports, module, isFixed }: Installation,
): string[] {
  const state = [...new Map(losses.state.map(({ path }) => [path, losses.state.filter((each) => each.path === path)]))];
  const values = state.map(
    ([path, each]) => `${path}: ${each.map(({ name, value }) => `${name} = ${value}`).join(", ")}`,
  );
  const holders = losses.holders.length === 0 ? [] : [`instances of the old classes: ${listed(losses.holders)}`];
  const alone = methods.length === 0 ? [] : [`methods that were installed by themselves: ${listed(methods)}`];
  const lost = [...values, ...holders, ...alone].map((line) => `  ${line}`);
  if (isDone) {
    const head = `loaded anew with the form in it: ${listed(paths)}`;
    return lost.length === 0 ? [head, "  no state was there to lose"] : [head, "  this state was lost:", ...lost];
  }
  const missing = [
    ...(newExports.length === 0 ? [] : [`export ${listed(newExports)}`]),
    ...(newImports.length === 0 ? [] : [`import ${listed(newImports)}`]),
  ].join(" and ");
  const fixed = `${module ?? ""} cannot ${missing} while it runs: an ES module's imports and exports are fixed.`;
  if (isFixed) return [`${fixed} They need the edited file, and the program started anew.`];
  const head = `${fixed} With reload: true it is loaded anew, and with it ${listed(paths.slice(1)) || "no other module"}.`;
  return lost.length === 0 ? [head, "  no state would be lost"] : [head, "  that would lose:", ...lost];
}

function nameLines(each: NameReport, report: Installation): string[] {
  const where = report.module ?? "the REPL's own names";
  const name =
    each.kind === "default" ? "the default export" : `${isUnkinded(each) ? "" : `${each.kind} `}${each.name}`;
  const fresh = each.kind === "member" ? "added" : "new";
  const verb = each.kind === "assigned" ? "assigned" : each.isNew ? fresh : "redefined";
  const value = each.preview === undefined ? "" : ` = ${brief(each.preview)}${changedFrom(each)}`;
  return [`${verb}: ${name} in ${where}${value}`, ...details(each, report).map((line) => `  ${line}`)];
}

function isUnkinded({ kind }: NameReport): boolean {
  return kind === "member" || kind === "assigned";
}

function changedFrom({ before, preview }: NameReport): string {
  return before === undefined || before === preview ? "" : ` (was ${brief(before)})`;
}

/** A value on one line, cut when it is long: a large value can be inspected by another call. */
function brief(value: string): string {
  const line = value.replace(/\s*\n\s*/g, " ");
  return line.length > MAX_VALUE ? `${headOf(line, MAX_VALUE).trimEnd()} …` : line;
}

function details(each: NameReport, report: Installation): string[] {
  return [...visibility(each, report), ...oldCopies(each), ...classLines(each), ...(each.problems ?? [])];
}

function visibility(each: NameReport, { module, newExports }: Installation): string[] {
  const lines: string[] = [];
  const fresh = newExports.filter((name) => name === each.name || (name === "default" && each.kind === "default"));
  if (module === undefined || each.kind === "member") return lines;
  if (each.kind === "assigned" && each.exportedAs.length === 0) return lines;
  const seen = each.sees.map(({ path, how, as }) => {
    const label =
      how === "reexport" ? `re-exports it${as === undefined ? "" : ` as ${as}`}` : as === undefined ? "" : `as ${as}`;
    return label === "" ? path : `${path} (${label})`;
  });
  if (seen.length > 0) lines.push(`seen by ${listed(seen)}`);
  else if (fresh.length === 0 && each.exportedAs.length === 0) lines.push("not exported: seen inside the module only");
  else if (fresh.length === 0 && each.copies.length === 0) lines.push("no loaded module imports it");
  if (each.patched !== undefined) lines.push(`${each.patched.join(", ")} set to the new value`);
  return lines;
}

/** Whether there is nothing to add about the holders of the old value. */
function isKnown(each: NameReport): boolean {
  return each.isHeld === false || (each.isHeld === true && !isNamed(each));
}

function isNamed({ holders = [], copies }: NameReport): boolean {
  return holders.length + copies.length > 0;
}

function oldCopies(each: NameReport): string[] {
  if (each.isHeld === false) return ["no old copy is left"];
  const kept = new Map<string, string[]>();
  const add = (path: string, why: string, name: string): void => {
    const key = `${path}\n${why}`;
    kept.set(key, [...(kept.get(key) ?? []), name]);
  };
  for (const { path, what } of each.holders ?? []) add(path, "", what);
  for (const { path, name, why } of each.copies) add(path, ` (${COPY_REASONS[why]})`, name);
  const lines = [...kept].map(([key, names]) => {
    const [path = "", why = ""] = key.split("\n");
    return `old copy kept by ${path}: ${listed(names)}${why}`;
  });
  if (each.isHeld === true && !isNamed(each)) lines.push(HELD);
  else if (each.isCut === true) lines.push("more old copies may exist: the search ended at its budget");
  return lines;
}

const HELD =
  "something else holds an old copy: a variable inside of a function, a timer, a listener, or a call that has not ended";

const COPY_REASONS = {
  importsCommonJs: "an ES import of a CommonJS module copies the value",
  destructuredRequire: "destructured from require, which copies the value",
  required: "it keeps what require gave it before",
} as const;

function classLines(each: NameReport): string[] {
  const { classChange: change } = each;
  const lines: string[] = [];
  if (each.carried !== undefined)
    lines.push(`kept from the old ${each.kind === "enum" ? "enum" : "function"}: ${listed(each.carried)}`);
  if (change === undefined) return lines;
  const { instances, subclasses, kept } = change;
  if (instances !== undefined && instances > 0) {
    lines.push(`${plural(instances, "instance")} made before: new methods and accessors`);
  }
  if (subclasses.length > 0) lines.push(`subclasses that follow: ${listed(subclasses)}`);
  if (kept.length > 0) lines.push(`static values kept (same initialiser): ${listed(kept)}`);
  if (instances !== 0) {
    if (each.newFields.length > 0) lines.push(`instances made before lack the new fields: ${listed(each.newFields)}`);
    if (each.newPrivates.length > 0) {
      lines.push(
        `instances made before lack ${hashed(each.newPrivates)}: methods that use them throw a TypeError there`,
      );
    }
    if (each.changedPrivateMethods.length > 0) {
      lines.push(`instances made before keep the old ${hashed(each.changedPrivateMethods)}: private methods are fixed`);
    }
    if (each.crossing.length > 0) {
      lines.push(
        `instances made before and after do not see each other's private names: ${listed(each.crossing)} cannot mix them`,
      );
    }
  }
  return [...lines, ...change.problems];
}

function hashed(names: readonly string[]): string {
  return listed(names.map((name) => `#${name}`));
}

function listed(items: readonly string[]): string {
  const shown = items.slice(0, MAX_SHOWN).join(", ");
  return items.length > MAX_SHOWN ? `${shown}, … ${items.length - MAX_SHOWN} more` : shown;
}
