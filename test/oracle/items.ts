/** Members and signatures in one spelling for both sides. */
import type { Place } from "./places.ts";

/** Members without a name, such as index signatures, are compared as such by the place they stand at. */
export function memberItem(name: string, isStatic: boolean, place: Place): string[] {
  if (name === "") return [];
  const plain = name.replace(/^(["'])(.*)\1$/, "$2");
  return [`${isStatic ? "static " : ""}${plain} at ${place}`];
}

export interface PlainSignature {
  readonly kind: "call" | "construct";
  readonly typeParameters: readonly string[];
  readonly parameters: readonly string[];
  readonly returnType: string;
}

export function signatureItems(signatures: readonly PlainSignature[]): string[] {
  return signatures.map(({ kind, typeParameters, parameters, returnType }) => {
    const generic = typeParameters.length === 0 ? "" : `<${typeParameters.join(", ")}>`;
    return `${kind} ${plainText(`${generic}(${parameters.join(", ")}) => ${returnType}`)}`;
  });
}

/** Line breaks, quotes and machine paths are no difference. */
function plainText(text: string): string {
  return text
    .replace(/\s+/g, " ")
    .replace(/import\("[^"]*?((?:node_modules\/|src\/)[^"]*)"\)/g, 'import("$1")')
    .replace(/'([^'"]*)'/g, '"$1"')
    .replace(/[;,](?= ?[}\])])/g, "")
    .replace(/([{([<]) /g, "$1")
    .replace(/ ([})\]>])/g, "$1");
}
