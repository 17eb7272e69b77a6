/** Which parts of a union an object literal may be, told by the literal's properties, as the compiler tells them apart. */
import {
  isPropertyAssignment,
  isShorthandPropertyAssignment,
  type Node,
  type ObjectLiteralExpression,
} from "typescript/unstable/ast";
import { isUnionType, TypeFlags, type Project, type Type } from "typescript/unstable/async";
import { memberKeyOf } from "./type-members.ts";

interface Given {
  readonly name: string;
  readonly value: Node;
}

/** Those of a union's parts that the literal's properties do not rule out. */
export async function possibleParts(
  project: Project,
  literal: ObjectLiteralExpression,
  parts: readonly Type[],
): Promise<Type[]> {
  const given = literal.properties.flatMap(givenBy);
  const isOther = await Promise.all(parts.map((part) => isRuledOut(project, given, part)));
  return parts.filter((_part, index) => isOther[index] !== true);
}

function givenBy(property: Node): Given[] {
  const name = memberKeyOf(property)?.name;
  if (name === undefined) return [];
  if (isPropertyAssignment(property)) return [{ name, value: property.initializer }];
  return isShorthandPropertyAssignment(property) ? [{ name, value: property.name }] : [];
}

/** Whether a property has a value that the part has not: `"circle"` where the part says `"square"`. */
async function isRuledOut({ checker }: Project, given: readonly Given[], part: Type): Promise<boolean> {
  for (const { name, value } of given) {
    const property = await checker.getPropertyOfType(part, name);
    const expected = property === undefined ? undefined : await checker.getTypeOfSymbol(property);
    if (expected === undefined || !(await isOfLiterals(expected))) continue;
    const type = await checker.getTypeAtLocation(value);
    const values = type === undefined ? [] : await partsOf(type);
    const fits = await Promise.all(values.map((each) => checker.isTypeAssignableTo(each, expected)));
    if (values.length > 0 && !fits.includes(true)) return true;
  }
  return false;
}

async function isOfLiterals(type: Type): Promise<boolean> {
  return (await partsOf(type)).every(({ flags }) => (flags & TypeFlags.Unit) !== 0);
}

async function partsOf(type: Type): Promise<readonly Type[]> {
  return isUnionType(type) ? type.getTypes() : [type];
}
