/** Template literal types and `Uppercase<…>` as regular expressions. */
import { TypeFlags, type StringMappingType, type TemplateLiteralType, type Type } from "typescript/unstable/async";

const NUMBER = "-?(\\d+\\.?\\d*|\\.\\d+)([eE][+-]?\\d+)?";

/** Without `^` and `$`. A part that cannot be said exactly allows every text, so a right value is never refused. */
export async function templatePattern(type: TemplateLiteralType | StringMappingType): Promise<string> {
  if (type.isStringMappingType()) return mappingPattern((await type.getSymbol())?.name ?? "");
  const parts = await type.getTypes();
  let pattern = "";
  for (const [index, text] of type.texts.entries()) {
    pattern += escapeRegExp(text);
    const part = parts[index];
    if (part !== undefined) pattern += await partPattern(part);
  }
  return pattern;
}

async function partPattern(type: Type): Promise<string> {
  if ((type.flags & TypeFlags.Number) !== 0) return NUMBER;
  if ((type.flags & TypeFlags.BigInt) !== 0) return "-?\\d+";
  if (type.isStringMappingType() || type.isTemplateLiteralType()) return templatePattern(type);
  return "[\\s\\S]*";
}

function mappingPattern(name: string): string {
  switch (name) {
    case "Uppercase":
      return "[^a-z]*";
    case "Lowercase":
      return "[^A-Z]*";
    case "Capitalize":
      return "([^a-z][\\s\\S]*)?";
    case "Uncapitalize":
      return "([^A-Z][\\s\\S]*)?";
    default:
      return "[\\s\\S]*";
  }
}

function escapeRegExp(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
