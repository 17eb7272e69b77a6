/** The classes of a form, and how an old class hands its instances over to the new one. */
import { inKernel } from "../../child/wire/kernel-call.ts";
import {
  brandBlock,
  classBodyStart,
  classOf,
  classSpec,
  hasPrivates,
  planOf,
} from "../../source/classes/class-spec.ts";
import type { ClassSpec, WrittenClass } from "../../source/classes/class-spec.ts";
import { decoratedMembers } from "../../source/classes/decorated-members.ts";
import { followOthers } from "../../source/classes/private-crossing.ts";
import type { Rewriting } from "./rewriting.ts";
import { namesOf } from "../scope-types.ts";
import type { Class, ClassElement, VariableDeclarator } from "oxc-parser";
import { identifierName, memberName } from "../../source/syntax.ts";

/** Right after the declaration, the old class hands its instances and subclasses over to the new one. */
export function rewriteClass(r: Rewriting, node: Class, name: string): void {
  r.names.add(name);
  const [open, close] = handingOver(r, name, remembered(r, { node }, name));
  r.edited.appendRight(node.start, `${open}${name} = `).appendLeft(node.end, `${close};`);
}

function handingOver({ scope, text }: Rewriting, name: string, spec: ClassSpec): readonly [string, string] {
  if (text.mode === "install" || !namesOf(scope).has(name)) return ["", ""];
  const plan = JSON.stringify(planOf(scope.classes?.get(name), spec));
  return [`await ${inKernel("adopt")}(${inKernel("old")}(()=>${name}),`, `,${plan})`];
}

/**
 * A class that is the value of a variable. A decorated declaration became one too, and hands over like any other class.
 */
export function rememberClass(r: Rewriting, declarator: VariableDeclarator): void {
  const { id, init } = declarator;
  const written = classOf(init);
  const name = identifierName(id);
  if (written === undefined || name === undefined) return;
  const spec = remembered(r, written, name);
  if (init?.type === "ClassExpression") return;
  const [open, close] = handingOver(r, name, spec);
  r.edited.appendRight(declarator.start, open).appendLeft(declarator.end, close);
}

function membersIn({ body }: Class, names: ReadonlySet<string>): readonly ClassElement[] {
  return body.body.filter((member) => {
    if (member.type !== "MethodDefinition" || member.static || member.computed) return false;
    return names.has(memberName(member, () => ""));
  });
}

/**
 * Instances of an earlier form's class may exist: where the new class reads private names of other objects, it asks the
 * whole family.
 */
function remembered(r: Rewriting, written: WrittenClass, name: string): ClassSpec {
  const { edited, scope } = r;
  const { node } = written;
  const decorated = decoratedMembers(node, name, edited.original);
  const read = (): ClassSpec => classSpec(written, (start, end) => edited.slice(start, end), decorated);
  let spec = read();
  if (namesOf(scope).has(name) && spec.privates.instance.length > 0) {
    const family = `${r.number}:${name}`;
    const { instance } = spec.privates;
    const isOwn = (each: string): boolean => instance.includes(each);
    followOthers(edited, node, { family, isOwn, decorated: membersIn(node, decorated) });
    // Only the members that are compiled once more ask the family. The other texts stay unchanged, because they are
    // compared with later texts.
    spec = { ...spec, members: read().members, family };
  }
  r.classes.set(name, spec);
  if (hasPrivates(spec)) edited.appendLeft(classBodyStart(node), brandBlock(spec));
  return spec;
}
