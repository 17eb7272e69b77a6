/** The index, call and construct signatures that the checker knows of a type beyond those written in it. */
import { SignatureKind, type IndexInfo, type NodeHandle, type Signature, type Type } from "typescript/unstable/async";
import { isIndexSignatureDeclaration, SyntaxKind, type Node } from "typescript/unstable/ast";
import type { ClassMember } from "./member-facts.ts";
import { groupHead, ownerOf, type PropertyGroup, type Written } from "./property-members.ts";
import { signatureText, typeText, type TypeContext } from "./type-text.ts";
import { mapLimited } from "../yielding.ts";
import { nodeKey } from "../places.ts";

/** The signatures of one owner may come in several groups: `mergeGroups` puts them with the owner's other members. */
export async function signatureMembers(
  context: TypeContext,
  type: Type | undefined,
  written: Written,
): Promise<PropertyGroup[]> {
  if (type === undefined) return [];
  const { checker } = context.program.project;
  const [indexes, calls, constructs] = await Promise.all([
    checker.getIndexInfosOfType(type),
    checker.getSignaturesOfType(type, SignatureKind.Call),
    checker.getSignaturesOfType(type, SignatureKind.Construct),
  ]);
  const own = new Set(written.ownNodes.map(nodeKey));
  const nodeOf = (handle: NodeHandle | undefined): Promise<Node | undefined> =>
    handle?.resolve(context.program.project) ?? Promise.resolve(undefined);
  const found = await mapLimited(
    [...indexes.map((index) => ({ index })), ...[...calls, ...constructs].map((signature) => ({ signature }))],
    async (each) => {
      const node = await nodeOf(("index" in each ? each.index : each.signature).declaration);
      if (node !== undefined && own.has(nodeKey(node))) return [];
      const member =
        "index" in each
          ? await indexMember(context, each.index, node, written.self)
          : await callMember(context, each.signature, node);
      // The characters of a text are no member of a union of texts.
      if (node === undefined && written.containers.length === 0 && type.isUnionType()) return [];
      const owner = node === undefined ? undefined : ownerOf(node);
      return member === undefined ? [] : [{ ...groupHead(context, owner, written), members: [member] }];
    },
    context.view.signal,
  );
  return found.flat();
}

/** Signatures join the group of their owner, in source order; a new group is last. */
export function mergeGroups(groups: readonly PropertyGroup[], more: readonly PropertyGroup[]): PropertyGroup[] {
  const merged = [...groups];
  for (const group of more) {
    const at = merged.findIndex(({ origin, file }) => origin === group.origin && file === group.file);
    const known = merged[at];
    if (known === undefined) merged.push(group);
    else {
      const members = [...known.members, ...group.members].toSorted(
        (a, b) => Number(a.file !== known.file) - Number(b.file !== known.file) || a.at.line - b.at.line,
      );
      merged[at] = { ...known, members };
    }
  }
  return merged;
}

async function indexMember(
  context: TypeContext,
  { keyType, valueType, isReadonly }: IndexInfo,
  node: Node | undefined,
  self: Node,
): Promise<ClassMember> {
  const [key, value] = await Promise.all([typeText(context, keyType), typeText(context, valueType)]);
  const name = node !== undefined && isIndexSignatureDeclaration(node) ? node.parameters[0]?.name.getText() : undefined;
  const text = `[${name ?? "key"}: ${key}]: ${value}`;
  return signatureMember(node ?? self, "index signature", text, isReadonly ? ["readonly"] : []);
}

/** Undefined for the type of a function that is no member of anything. */
async function callMember(
  context: TypeContext,
  signature: Signature,
  node: Node | undefined,
): Promise<ClassMember | undefined> {
  if (node?.kind !== SyntaxKind.CallSignature && node?.kind !== SyntaxKind.ConstructSignature) return undefined;
  const kind = node.kind === SyntaxKind.CallSignature ? "call signature" : "construct signature";
  return signatureMember(node, kind, await signatureText(context, signature), []);
}

function signatureMember(node: Node, kind: string, text: string, modifiers: readonly string[]): ClassMember {
  const source = node.getSourceFile();
  return {
    name: "",
    kind,
    modifiers,
    optional: false,
    types: [text],
    inferred: false,
    setterType: undefined,
    initializer: undefined,
    value: undefined,
    documentation: "",
    file: source.fileName,
    at: source.getLineAndCharacterOfPosition(node.getStart(source)),
  };
}
