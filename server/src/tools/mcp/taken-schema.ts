/** The input schema of another server's tool in a form that models' servers take: theirs is narrower than JSON Schema. */
import type { JsonSchema } from "../../protocol/shapes.ts";
import { isObject } from "../../base/is-object.ts";

export interface TakenSchema {
  readonly schema: JsonSchema;
  /** Which parameters go together, in words; absent where the schema itself still says it. */
  readonly alternatives?: string;
  /** The arguments under the names that the tool has for them. */
  readonly toOwn: (args: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;
}

type Properties = Record<string, unknown>;

const TAKEN_NAME = /^[\w.-]{1,64}$/;
const LONGEST_NAME = 64;

/**
 * Models' servers allow nothing beside the parameters that chooses between them, and take only words as names of
 * parameters.
 */
export function takenSchema({ anyOf, oneOf, allOf, ...rest }: JsonSchema): TakenSchema {
  const [all, some] = [branchesOf(allOf), [...branchesOf(anyOf), ...branchesOf(oneOf)]];
  const properties = Object.assign({}, ...[...some, ...all, rest].map(propertiesOf)) as Properties;
  const required = [...new Set([...all, rest].flatMap(requiredOf))];
  const choices = some.map((branch) => requiredOf(branch).join(" with ")).filter(Boolean);
  const taken = namesFor(Object.keys(properties));
  const own = new Map([...taken].map(([name, as]) => [as, name]));
  return {
    schema: {
      ...rest,
      properties: Object.fromEntries(Object.entries(properties).map(([name, each]) => [taken.get(name), each])),
      ...(required.length === 0 ? {} : { required: required.map((name) => taken.get(name) ?? name) }),
    },
    ...(choices.length === 0 ? {} : { alternatives: `It needs ${choices.join(", or ")}.` }),
    toOwn: (args) => Object.fromEntries(Object.entries(args).map(([name, value]) => [own.get(name) ?? name, value])),
  };
}

function namesFor(names: readonly string[]): ReadonlyMap<string, string> {
  const used = new Set(names.filter((name) => TAKEN_NAME.test(name)));
  const taken = new Map<string, string>();
  for (const name of names) taken.set(name, used.has(name) ? name : newName(name, used));
  return taken;
}

function newName(name: string, used: Set<string>): string {
  const plain = name.replace(/[^\w.-]+/g, "_").replace(/^_+|_+$/g, "") || "parameter";
  for (let number = 1; ; number += 1) {
    const end = number === 1 ? "" : `_${number}`;
    const made = plain.slice(0, LONGEST_NAME - end.length) + end;
    if (used.has(made)) continue;
    used.add(made);
    return made;
  }
}

function branchesOf(value: unknown): JsonSchema[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function propertiesOf({ properties }: JsonSchema): Properties {
  return isObject(properties) ? properties : {};
}

function requiredOf({ required }: JsonSchema): string[] {
  return Array.isArray(required) ? required.filter((name): name is string => typeof name === "string") : [];
}
