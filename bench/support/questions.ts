/** What everybody is asked about the large project while it is loaded: each symbol once, so that no one answers from memory. */
import { readFileSync } from "node:fs";
import path from "node:path";
import type { LargeProject } from "./install.ts";

export type QuestionKind = "describe" | "references" | "callers" | "hierarchy" | "apropos";

export interface SymbolQuestion {
  readonly file: string;
  readonly name: string;
  /** As the tools address it. */
  readonly address: string;
  readonly position: { readonly line: number; readonly character: number };
}

const FUNCTIONS = [
  "accounts/utils/parseAccount.ts#parseAccount",
  "utils/getAction.ts#getAction",
  "utils/encoding/toHex.ts#numberToHex",
  "utils/hash/keccak256.ts#keccak256",
  "utils/address/isAddressEqual.ts#isAddressEqual",
  "utils/data/concat.ts#concat",
  "utils/data/size.ts#size",
  "utils/abi/encodeFunctionData.ts#encodeFunctionData",
  "utils/abi/decodeEventLog.ts#decodeEventLog",
  "clients/createClient.ts#createClient",
  "utils/encoding/fromHex.ts#hexToNumber",
  "utils/address/getAddress.ts#getAddress",
  "utils/stringify.ts#stringify",
  "utils/chain/assertCurrentChain.ts#assertCurrentChain",
  "utils/signature/recoverAddress.ts#recoverAddress",
  "utils/abi/encodeAbiParameters.ts#encodeAbiParameters",
  "utils/nonceManager.ts#createNonceManager",
  "utils/rpc/http.ts#getHttpRpcClient",
] as const;

const CLASSES = [
  "errors/base.ts#BaseError",
  "errors/rpc.ts#RpcError",
  "errors/rpc.ts#ProviderRpcError",
  "errors/contract.ts#ContractFunctionExecutionError",
  "errors/abi.ts#AbiItemAmbiguityError",
  "errors/request.ts#HttpRequestError",
] as const;

/** Substrings, prefixes and camel humps, rare and frequent ones. */
export const PATTERNS = [
  "parseAcc",
  "keccak",
  "getBlock",
  "encodeAbi",
  "cPC",
  "NonceManager",
  "toHex",
  "isAddr",
  "BaseError",
  "watchEvent",
  "Transport",
  "decode",
] as const;

export function symbolQuestions({ folder }: LargeProject, kind: "functions" | "classes"): SymbolQuestion[] {
  return (kind === "functions" ? FUNCTIONS : CLASSES).map((asked) => {
    const [module = "", name = ""] = asked.split("#");
    const file = path.join(folder, "src", module);
    return { file, name, address: `src/${asked}`, position: positionOf(file, name) };
  });
}

function positionOf(file: string, name: string): SymbolQuestion["position"] {
  const declaration = new RegExp(String.raw`^(export (?:async )?(?:abstract )?(?:function|class|const) )${name}\b`);
  for (const [line, text] of readFileSync(file, "utf8").split("\n").entries()) {
    const before = declaration.exec(text)?.[1];
    if (before !== undefined) return { line, character: before.length };
  }
  throw new Error(`${file} does not declare ${name}: pin another symbol or version`);
}
