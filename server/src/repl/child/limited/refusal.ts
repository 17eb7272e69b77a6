/** An error in the words of Node's permission model, for an access that Node itself cannot refuse. */
export function accessDenied(what: string): Error {
  return Object.assign(new Error(`Access to this API has been restricted: ${what}`), { code: "ERR_ACCESS_DENIED" });
}
