/** Classes of a snippet: what they hand over, and to whom. */
import { inKernel } from "../child/wire/kernel-call.ts";
import { brandBlock, classBodyStart, classOf, classSpec, hasPrivates, planOf } from "../source/class-spec.ts";
import type { ClassSpec, WrittenClass } from "../source/class-spec.ts";
import { decoratedMembers } from "../source/decorated-members.ts";
import { followOthers } from "../source/private-crossing.ts";
import type { Rewriting } from "./rewriting.ts";
import { namesOf } from "./scope-types.ts";
import type { SyntaxNode } from "../source/syntax.ts";

/** The old class hands its instances and subclasses over to the new one, right behind the declaration. */
export function rewriteClass(r: Rewriting, node: SyntaxNode, name: string): void {
  r.names.add(name);
  const [open, close] = handingOver(r, name, remembered(r, { node }, name));
  r.edited.appendRight(node.start, `${open}${name} = `).appendLeft(node.end, `${close};`);
}

function handingOver({ scope, text }: Rewriting, name: string, spec: ClassSpec): readonly [string, string] {
  if (text.mode === "install" || !namesOf(scope).has(name)) return ["", ""];
  const plan = JSON.stringify(planOf(scope.classes?.get(name), spec));
  return [`await ${inKernel("adopt")}(${inKernel("old")}(()=>${name}),`, `,${plan})`];
}

/** A class that is the value of a variable; what was a decorated declaration hands over like any other. */
export function rememberClass(r: Rewriting, declarator: SyntaxNode): void {
  const init = declarator["init"] as SyntaxNode | null;
  const written = classOf(init);
  const name = (declarator["id"] as SyntaxNode)["name"];
  if (written === undefined || typeof name !== "string") return;
  const spec = remembered(r, written, name);
  if (init?.type === "ClassExpression") return;
  const [open, close] = handingOver(r, name, spec);
  r.edited.appendRight(declarator.start, open).appendLeft(declarator.end, close);
}

function membersIn(node: SyntaxNode, names: ReadonlySet<string>): readonly SyntaxNode[] {
  const members = (node["body"] as SyntaxNode)["body"] as readonly SyntaxNode[];
  return members.filter((member) => {
    const key = member["key"] as SyntaxNode | undefined;
    const isMethod = member.type === "MethodDefinition" && member["static"] !== true && member["computed"] !== true;
    return isMethod && names.has(String(key?.["name"] ?? key?.["value"]));
  });
}

/** A class that was there before may have instances: where this one asks others for private names, it asks for theirs. */
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
    // Only what is compiled once more follows; the texts that are compared with later ones stay as they were.
    spec = { ...spec, members: read().members, family };
  }
  r.classes.set(name, spec);
  if (hasPrivates(spec)) edited.appendLeft(classBodyStart(node), brandBlock(spec));
  return spec;
}
