/**
 * The place of a proxy in a text, until the proxy is printed. No other text has this character: strings are escaped,
 * and names with it are replaced.
 */
export const PROXY_MARK = "\u0001";
