/** The rules that a tool keeps, checked when it is made and when it is registered. */
import type { SafetyLevel } from "../protocol/shapes.ts";

/** From harmless to dangerous. */
export const SAFETY_LEVELS: readonly [SafetyLevel, ...SafetyLevel[]] = ["safe", "cautious", "dangerous"];

const NAME = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/;
/** Tools of other servers (`mcp/names.ts`): no other name has two underscores in a row. */
const FOREIGN_NAME = /^mcp__[A-Za-z0-9-]+(_[A-Za-z0-9-]+)*__[A-Za-z0-9_-]+$/;

/** The first rule that is broken, as the end of a sentence; undefined when this is a tool. Never throws. */
export function problemWithTool(candidate: unknown): string | undefined {
  if (typeof candidate !== "object" || candidate === null) return "it is no object";
  const { name, description, safety, inputSchema, run, categories } = candidate as Record<string, unknown>;
  if (typeof name !== "string" || !(NAME.test(name) || FOREIGN_NAME.test(name))) return "its name is not snake_case";
  if (typeof description !== "string" || description.trim() === "") return "its description is empty";
  if (!SAFETY_LEVELS.some((level) => level === safety)) {
    return `its safety "${String(safety)}" is not one of ${SAFETY_LEVELS.join(", ")}`;
  }
  if (!Array.isArray(categories) || !categories.every((each) => typeof each === "string")) {
    return "its categories are not a list of names";
  }
  if (typeof run !== "function") return "it has no handler";
  return problemWithSchema(inputSchema);
}

function problemWithSchema(schema: unknown): string | undefined {
  const { type, properties, required } = (schema ?? {}) as Record<string, unknown>;
  if (type !== "object") return "its input schema is not of type object";
  const known = Object.keys(properties ?? {});
  const unknown = ((required ?? []) as readonly string[]).filter((each) => !known.includes(each));
  return unknown.length === 0 ? undefined : `it requires ${unknown.join(", ")}, which its properties do not have`;
}
