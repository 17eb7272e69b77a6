/** The formats of JSON Schema that are enforced, by their names. Any other `format` is a remark and checked by nobody. */
import { isIPv4, isIPv6 } from "node:net";

type Check = (text: string) => boolean;

const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
const TIME = /^([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(?:\.\d+)?(?:z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i;
const DURATION = /^P(?!$)(?:\d+W|(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+S)?)?)$/;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;
const LOCAL_PART = /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/;
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
const POINTER = /^(?:\/(?:[^~/]|~[01])*)*$/;
const SCHEME = /^[a-z][a-z0-9+.-]*:/i;
/** What a URI must not hold unless it is encoded, and a percent sign that encodes nothing. */
const NO_URI = /[\s<>"{}|\\^`]|[^\x20-\x7e]|%(?![0-9a-f]{2})/i;
const LONGEST_HOST = 253;

export const FORMATS: Readonly<Record<string, Check>> = {
  date: isDate,
  time: (text) => TIME.test(text),
  "date-time": isDateTime,
  duration: (text) => DURATION.test(text),
  email: isEmail,
  hostname: isHostname,
  ipv4: isIPv4,
  ipv6: (text) => isIPv6(text) && !text.includes("%"),
  uri: (text) => SCHEME.test(text) && isReference(text),
  "uri-reference": isReference,
  uuid: (text) => UUID.test(text),
  "json-pointer": (text) => POINTER.test(text),
  regex: isPattern,
};

function isDate(text: string): boolean {
  const [, year, month, day] = DATE.exec(text) ?? [];
  if (year === undefined) return false;
  const [m, d] = [Number(month), Number(day)];
  const date = new Date(0);
  date.setUTCFullYear(Number(year), m - 1, d);
  return date.getUTCMonth() === m - 1 && date.getUTCDate() === d;
}

function isDateTime(text: string): boolean {
  const [date = "", time = "", ...more] = text.split(/[t ]/i);
  return more.length === 0 && isDate(date) && TIME.test(time);
}

function isEmail(text: string): boolean {
  const at = text.lastIndexOf("@");
  const domain = text.slice(at + 1);
  return at > 0 && LOCAL_PART.test(text.slice(0, at)) && domain.includes(".") && isHostname(domain);
}

function isHostname(text: string): boolean {
  return text.length <= LONGEST_HOST && text.split(".").every((label) => LABEL.test(label));
}

function isReference(text: string): boolean {
  if (NO_URI.test(text)) return false;
  // An address with an authority must have one that can be read, such as a port that is a number.
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? URL.canParse(text) : URL.canParse(text, "http://localhost/");
}

function isPattern(text: string): boolean {
  try {
    return new RegExp(text, "u").source !== "";
  } catch {
    return false;
  }
}
