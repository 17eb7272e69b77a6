/** What redefining a class needs to know of its text: which fields, statics and private names it has. */
import type { ClassPlan, PrivateUser } from "../child/wire/class-plan.ts";
import { inKernel } from "../child/wire/kernel-call.ts";
import { crossingNames } from "./private-crossing.ts";
import { decoratedClass } from "./decorated-classes.ts";
import { patternNames, walk, type SyntaxNode } from "./syntax.ts";
import { given } from "../../given.ts";

export interface ClassSpec {
  /** Public instance fields. */
  readonly fields: readonly string[];
  /** Public static fields with the text of their initialisers. */
  readonly statics: Readonly<Record<string, string>>;
  /** Static `#fields` with the text of their initialisers. */
  readonly privateStatics: Readonly<Record<string, string>>;
  /** Every `#name` that the class declares, without the `#`. */
  readonly privates: { readonly instance: readonly string[]; readonly static: readonly string[] };
  /** Texts of the private methods and accessors: an old instance keeps the ones that it was made with. */
  readonly privateMethods: Readonly<Record<string, string>>;
  /** Methods and accessors of instances whose text mentions a `#name`. */
  readonly members: readonly PrivateUser[];
  /** Members that ask another object than `this` for a `#name` of instances, and cannot be made to follow it. */
  readonly crossing: readonly string[];
  /** Stands for all definitions of the class in texts that ask other objects. */
  readonly family?: string;
}

export interface WrittenClass {
  readonly node: SyntaxNode;
  /** Where its static fields stand, as instance fields, when it was decorated. */
  readonly holder?: SyntaxNode;
}

/** The class that a statement of the top level declares, as a declaration or as the value of a variable. */
export function classesOf(declaration: SyntaxNode): ({ readonly name: string } & WrittenClass)[] {
  if (declaration.type === "ClassDeclaration") {
    const id = declaration["id"] as SyntaxNode | null;
    return id === null ? [] : [{ name: id["name"] as string, node: declaration }];
  }
  if (declaration.type !== "VariableDeclaration") return [];
  return (declaration["declarations"] as readonly SyntaxNode[]).flatMap((item) => {
    const written = classOf(item["init"] as SyntaxNode | null);
    const [name] = patternNames(item["id"] as SyntaxNode);
    return written !== undefined && name !== undefined ? [{ name, ...written }] : [];
  });
}

/** The class that an expression makes. */
export function classOf(value: SyntaxNode | null): WrittenClass | undefined {
  return value?.type === "ClassExpression" ? { node: value } : decoratedClass(value);
}

/**
 * `text` gives the source between two offsets, as it will be evaluated; members that are `decorated` follow by themselves.
 */
export function classSpec(
  { node, holder }: WrittenClass,
  text: (start: number, end: number) => string,
  decorated: ReadonlySet<string> = new Set(),
): ClassSpec {
  const fields: string[] = [];
  const statics: Record<string, string> = {};
  const privateStatics: Record<string, string> = {};
  const privateMethods: Record<string, string> = {};
  const instance = new Set<string>();
  const own = new Set<string>();
  const members: PrivateUser[] = [];
  const asked = new Map<string, readonly string[]>();
  const moved = (holder === undefined ? [] : membersOf(holder)).filter(isInstanceField);
  for (const member of [...membersOf(node), ...moved]) {
    const key = member["key"] as SyntaxNode | undefined;
    if (key === undefined) continue;
    const isStatic = member["static"] === true || moved.includes(member);
    const isField = member.type === "PropertyDefinition";
    const value = member["value"] as SyntaxNode | null;
    const source = isField ? (value === null ? "" : text(value.start, value.end)) : text(member.start, member.end);
    if (key.type === "PrivateIdentifier") {
      const name = key["name"] as string;
      (isStatic ? own : instance).add(name);
      // What an old instance has of a private method is the old text, which does not follow.
      if (!isField)
        asked.set(`#${name}`, [...(asked.get(`#${name}`) ?? []), ...crossingNames(member).map((each) => each.name)]);
      if (!isField) privateMethods[name] = `${privateMethods[name] ?? ""}${source}`;
      else if (isStatic) privateStatics[name] = source;
      continue;
    }
    const name = keyName(member, key, text);
    const unfollowed = crossingNames(member).filter(({ canFollow }) => !canFollow);
    asked.set(
      name,
      unfollowed.map((each) => each.name),
    );
    if (isField && isStatic) statics[name] = source;
    else if (isField) fields.push(name);
    else if (!isStatic && member["kind"] !== "constructor") {
      const uses = privatesIn(member);
      if (uses.length > 0 && !decorated.has(name)) members.push({ name, code: source, uses });
    }
  }
  const privates = { instance: [...instance], static: [...own] };
  const crossing = [...asked].filter(([, names]) => names.some((name) => instance.has(name))).map(([name]) => name);
  return { fields, statics, privateStatics, privates, privateMethods, members, crossing };
}

export function planOf(before: ClassSpec | undefined, after: ClassSpec): ClassPlan {
  const unchanged = (old: Readonly<Record<string, string>>, fresh: Readonly<Record<string, string>>): string[] =>
    Object.keys(fresh).filter((name) => Object.hasOwn(old, name) && old[name] === fresh[name]);
  const known = before ?? { ...after, statics: {}, privateStatics: {} };
  return {
    keep: unchanged(known.statics, after.statics),
    keepPrivate: unchanged(known.privateStatics, after.privateStatics),
    drop: Object.keys(known.statics).filter((name) => !Object.hasOwn(after.statics, name)),
    newFields: after.fields.filter((name) => !known.fields.includes(name)),
    newPrivates: after.privates.instance.filter((name) => !known.privates.instance.includes(name)),
    changedPrivateMethods: Object.keys(after.privateMethods).filter(
      (name) => Object.hasOwn(known.privateMethods, name) && known.privateMethods[name] !== after.privateMethods[name],
    ),
    members: after.members,
    crossing: after.crossing,
    ...given({ family: after.family }),
  };
}

export function hasPrivates({ privates }: ClassSpec): boolean {
  return privates.instance.length + privates.static.length > 0;
}

/** The class hands out an evaluator of its own scope: the only road to its private names. */
export function brandBlock({ privates, family }: ClassSpec): string {
  const joined = family === undefined ? "" : `,${JSON.stringify(family)}`;
  return `static{${inKernel("brand")}(this,__agentq$=>eval(__agentq$),${JSON.stringify(privates)}${joined})}`;
}

/** Where the brand block goes: right behind the brace. */
export function classBodyStart(node: SyntaxNode): number {
  return (node["body"] as SyntaxNode).start + 1;
}

function membersOf(node: SyntaxNode): readonly SyntaxNode[] {
  return (node["body"] as SyntaxNode)["body"] as readonly SyntaxNode[];
}

function isInstanceField(member: SyntaxNode): boolean {
  return member.type === "PropertyDefinition" && member["static"] !== true;
}

function keyName(member: SyntaxNode, key: SyntaxNode, text: (start: number, end: number) => string): string {
  if (member["computed"] === true) return `[${text(key.start, key.end)}]`;
  return String(key["name"] ?? key["value"]);
}

function privatesIn(member: SyntaxNode): string[] {
  const names = new Set<string>();
  walk(member, (node) => {
    if (node.type === "PrivateIdentifier") names.add(node["name"] as string);
    return true;
  });
  return [...names];
}
