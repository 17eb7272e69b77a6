/** The tools by name: what the model is told about, and what the executor finds. */
import type { JsonSchema, SafetyLevel, ToolInfo } from "../protocol/shapes.ts";
import type { Tool } from "./tool.ts";

export interface ToolFilter {
  readonly maxSafety?: SafetyLevel;
  readonly categories?: readonly string[];
}

/** A tool as the Messages API wants it declared. */
export interface ToolSchema {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
}

const SAFETY_ORDER: readonly SafetyLevel[] = ["safe", "cautious", "dangerous"];

export class ToolRegistry {
  readonly #tools = new Map<string, Tool>();

  /** Adds a tool; one of the same name is replaced. Throws when the tool breaks a rule of the registry. */
  register(tool: Tool): Tool {
    const problem = problemWith(tool);
    if (problem !== undefined) throw new Error(`Tool "${tool.name}" cannot be registered: ${problem}.`);
    this.#tools.set(tool.name, tool);
    return tool;
  }

  getTool(name: string): Tool | undefined {
    return this.#tools.get(name);
  }

  names(): string[] {
    return [...this.#tools.keys()];
  }

  /** Both filters must hold; `categories` holds when the tool has at least one of them. */
  getTools(filter: ToolFilter = {}): Tool[] {
    const limit = SAFETY_ORDER.indexOf(filter.maxSafety ?? "dangerous");
    return [...this.#tools.values()].filter(
      (tool) =>
        SAFETY_ORDER.indexOf(tool.safety) <= limit &&
        (filter.categories === undefined || filter.categories.some((category) => tool.categories.includes(category))),
    );
  }

  listTools(filter: ToolFilter = {}): ToolInfo[] {
    return this.getTools(filter).map((tool) => {
      const reason = tool.unavailable();
      return {
        name: tool.name,
        description: tool.description,
        safety: tool.safety,
        categories: tool.categories,
        inputSchema: tool.inputSchema,
        available: reason === undefined,
        ...(reason === undefined ? {} : { unavailableReason: reason }),
      };
    });
  }

  toolsToSchema(filter: ToolFilter = {}): ToolSchema[] {
    return this.getTools(filter)
      .filter((tool) => tool.unavailable() === undefined)
      .map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  }
}

function problemWith(tool: Tool): string | undefined {
  if (!/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(tool.name)) return "its name is not snake_case";
  if (tool.description.trim() === "") return "its description is empty";
  if (!SAFETY_ORDER.includes(tool.safety))
    return `its safety "${tool.safety}" is not one of ${SAFETY_ORDER.join(", ")}`;
  if (tool.inputSchema["type"] !== "object") return "its input schema is not of type object";
  const properties = Object.keys(tool.inputSchema["properties"] ?? {});
  const required = (tool.inputSchema["required"] ?? []) as readonly string[];
  const unknown = required.filter((name) => !properties.includes(name));
  return unknown.length === 0 ? undefined : `it requires ${unknown.join(", ")}, which its properties do not have`;
}
