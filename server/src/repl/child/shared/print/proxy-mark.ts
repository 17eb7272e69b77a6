/** Stands for a proxy in a text until it is told. No text of a value has it: strings are escaped, and names lose it. */
export const PROXY_MARK = "\u0001";
