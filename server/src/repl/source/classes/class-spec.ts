/** The facts about a class's text that its redefinition needs: fields, statics and private names. */
import type { ClassPlan, PrivateUser } from "../../child/wire/class-plan.ts";
import { inKernel } from "../../child/wire/kernel-call.ts";
import { crossingNames } from "./private-crossing.ts";
import { decoratedClass } from "./decorated-classes.ts";
import type { Class, Node } from "oxc-parser";
import { isMember, memberName, patternNames, type Member } from "../syntax.ts";
import { walk } from "../../../base/syntax-walk.ts";
import { given } from "../../../base/given.ts";

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
  /** Methods and accessors of instances that mention a `#name`. */
  readonly members: readonly PrivateUser[];
  /**
   * Members that read an instance's `#name` of another object than `this`, and that cannot be rewritten to ask the
   * family.
   */
  readonly crossing: readonly string[];
  /**
   * The name of the class's family, by which texts read private names of other objects, whichever definition made them.
   */
  readonly family?: string;
}

export interface WrittenClass {
  readonly node: Class;
  /** The class that has the static fields of a decorated class as its instance fields. */
  readonly holder?: Class;
}

/** The classes that a top-level statement declares, as declarations or as values of variables. */
export function classesOf(declaration: Node): ({ readonly name: string } & WrittenClass)[] {
  if (declaration.type === "ClassDeclaration") {
    return declaration.id === null ? [] : [{ name: declaration.id.name, node: declaration }];
  }
  if (declaration.type !== "VariableDeclaration") return [];
  return declaration.declarations.flatMap(({ id, init }) => {
    const written = classOf(init);
    const [name] = patternNames(id);
    return written !== undefined && name !== undefined ? [{ name, ...written }] : [];
  });
}

/** The class to which an expression evaluates. */
export function classOf(value: Node | null): WrittenClass | undefined {
  return value?.type === "ClassExpression" ? { node: value } : decoratedClass(value);
}

/** The source between two offsets, in the form in which it will be evaluated. */
type SourceText = (start: number, end: number) => string;

/** `decorated` members are left out of `members`: they are not compiled once more for old instances. */
export function classSpec(
  written: WrittenClass,
  text: SourceText,
  decorated: ReadonlySet<string> = new Set(),
): ClassSpec {
  const all = membersOf(written, text);
  const own = all.filter(({ isPrivate }) => isPrivate);
  const open = all.filter(({ isPrivate }) => !isPrivate);
  const instance = new Set(own.flatMap(({ name, isStatic }) => (isStatic ? [] : [name])));
  const privateMethods: Record<string, string> = {};
  for (const { name, source } of own.filter(({ isField }) => !isField)) {
    privateMethods[name] = `${privateMethods[name] ?? ""}${source}`;
  }
  return {
    fields: open.flatMap(({ name, isField, isStatic }) => (isField && !isStatic ? [name] : [])),
    statics: staticFields(open),
    privateStatics: staticFields(own),
    privates: {
      instance: [...instance],
      static: [...new Set(own.flatMap((each) => (each.isStatic ? [each.name] : [])))],
    },
    privateMethods,
    members: open.flatMap(({ name, source, isField, isStatic, member }): PrivateUser[] => {
      if (isField || isStatic || (member.type === "MethodDefinition" && member.kind === "constructor")) return [];
      const uses = privatesIn(member);
      return uses.length > 0 && !decorated.has(name) ? [{ name, code: source, uses }] : [];
    }),
    crossing: crossingMembers(all, instance),
  };
}

interface WrittenMember {
  readonly member: Member;
  /** Without the `#`. */
  readonly name: string;
  readonly isPrivate: boolean;
  readonly isStatic: boolean;
  readonly isField: boolean;
  /** The initialiser of a field, the whole text of every other member. */
  readonly source: string;
}

function membersOf({ node, holder }: WrittenClass, text: SourceText): readonly WrittenMember[] {
  const moved = (holder?.body.body ?? []).filter((each) => each.type === "PropertyDefinition" && !each.static);
  return [...node.body.body, ...moved].flatMap((member): WrittenMember[] => {
    if (!isMember(member)) return [];
    const isField = member.type === "PropertyDefinition";
    const written = isField ? member.value : member;
    return [
      {
        member,
        name: memberName(member, text),
        isPrivate: member.key.type === "PrivateIdentifier",
        isStatic: member.static || moved.includes(member),
        isField,
        source: written === null ? "" : text(written.start, written.end),
      },
    ];
  });
}

function staticFields(members: readonly WrittenMember[]): Record<string, string> {
  const fields = members.filter(({ isField, isStatic }) => isField && isStatic);
  return Object.fromEntries(fields.map(({ name, source }) => [name, source]));
}

/** Members that read one of the `instance` names of another object, and that cannot be rewritten to ask the family. */
function crossingMembers(members: readonly WrittenMember[], instance: ReadonlySet<string>): string[] {
  const asked = new Map<string, readonly string[]>();
  for (const { member, name, isPrivate, isField } of members) {
    // An old instance keeps the old text of a private method, which does not ask the family.
    const places = crossingNames(member).filter(({ canFollow }) => isPrivate || !canFollow);
    const names = places.map((each) => each.name);
    if (!isPrivate) asked.set(name, names);
    else if (!isField) asked.set(`#${name}`, [...(asked.get(`#${name}`) ?? []), ...names]);
  }
  return [...asked].filter(([, names]) => names.some((name) => instance.has(name))).map(([name]) => name);
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

/** The block with which the class registers an evaluator of its own scope: nothing else reaches its private names. */
export function brandBlock({ privates, family }: ClassSpec): string {
  const joined = family === undefined ? "" : `,${JSON.stringify(family)}`;
  return `static{${inKernel("brand")}(this,__agentq$=>eval(__agentq$),${JSON.stringify(privates)}${joined})}`;
}

/** The offset for the brand block: after the opening brace of the class. */
export function classBodyStart(node: Class): number {
  return node.body.start + 1;
}

function privatesIn(member: Node): string[] {
  const names = new Set<string>();
  walk(member, (node) => {
    if (node.type === "PrivateIdentifier") names.add(node.name);
  });
  return [...names];
}
