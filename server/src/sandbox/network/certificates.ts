/** What programs need of the person's network beside a way out: whom to trust, and which registry is asked. No credentials. */
import { join } from "node:path";
import { readRegularText } from "../../workspace/regular-file.ts";
import type { Variables } from "../../base/variables.ts";

const BUNDLES = "NODE_EXTRA_CA_CERTS SSL_CERT_FILE CURL_CA_BUNDLE REQUESTS_CA_BUNDLE GIT_SSL_CAINFO npm_config_cafile";
const CERTIFICATE = /-----BEGIN (?:TRUSTED )?CERTIFICATE-----[^-]+-----END (?:TRUSTED )?CERTIFICATE-----/g;

/** The certificates that the person's variables name, by variable: keys in the same file are left out. */
export async function trustedCertificates(variables: Variables): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const name of BUNDLES.split(" ")) {
    const file = variables[name];
    if (file === undefined || !file.startsWith("/")) continue;
    const text = await readRegularText(file).catch(() => "");
    const certificates = text.match(CERTIFICATE) ?? [];
    if (certificates.length > 0) found.set(name, `${certificates.join("\n")}\n`);
  }
  return found;
}

/** The registry that the person's npm asks, without a name or a password in the address. */
export async function npmRegistry(variables: Variables, folders: readonly string[]): Promise<string | undefined> {
  const set = variables["npm_config_registry"];
  if (set !== undefined) return plainAddress(set);
  for (const folder of folders) {
    const text = await readRegularText(join(folder, ".npmrc")).catch(() => "");
    const address = plainAddress(/^\s*registry\s*=\s*["']?([^"'\s]+)/m.exec(text)?.[1] ?? "");
    if (address !== undefined) return address;
  }
  return undefined;
}

function plainAddress(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  return `${url.origin}${url.pathname}`;
}
