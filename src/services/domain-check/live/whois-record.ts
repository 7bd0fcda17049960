import { type Registration, UNREGISTERED } from './registration.ts';

/** What a WHOIS server wrote of a name: a record, that there is none, or nothing that can be read. */
export type WhoisAnswer = Omit<Registration, 'record'> | undefined;

/** What servers write of a name that is not registered. */
const NOT_FOUND =
  /^\W*(?:no (?:match|entries found|data found|object found|such domain|records? match|matching record)|not found|nothing found|(?:the )?domain(?: name)?(?: \S+)? (?:(?:is |was |has )?not (?:been )?(?:found|registered)|does not exist)|the queried object does not exist|object does not exist|error:?\s?\d+: ?(?:domain is not registered|no entries found)|(?:domain )?status:\s*(?:free|available|not registered|no object found)\s*$)/im;

/** Names of fields, in lower case without signs, by what they mean. First match of each wins, but for lists. */
const FIELDS = {
  name: ['domain name', 'domain', 'domainname'],
  registered: [
    'creation date',
    'created',
    'created on',
    'registered',
    'registered on',
    'registered date',
    'registration date',
    'domain created',
    'record created',
  ],
  changed: [
    'updated date',
    'changed',
    'modified',
    'modification date',
    'last update',
    'last updated',
    'last modified',
  ],
  expires: [
    'registry expiry date',
    'expiry date',
    'expiration date',
    'expires',
    'expires on',
    'expire',
    'expire date',
    'paid till',
    'registrar registration expiration date',
    'valid until',
  ],
  registrar: ['registrar', 'registrar name', 'sponsoring registrar'],
  status: ['domain status', 'status', 'state'],
  server: ['name server', 'nameserver', 'nserver', 'nameservers', 'name servers'],
  signed: ['dnssec'],
} as const;
type Field = keyof typeof FIELDS;
const FIELD_OF: ReadonlyMap<string, Field> = new Map(
  (Object.keys(FIELDS) as Field[]).flatMap((field) => FIELDS[field].map((name) => [name, field] as const)),
);

/** A field and its value; some servers fill up with dots. */
const LINE = /^\s*([A-Za-z][A-Za-z ./-]{0,40}?)\.*\s*:\s*(.*)$/;
const MOST_LINES = 2000;
const MOST_VALUES = 30;

type Values = Record<Field, string[]>;

const nameOf = (name: string) =>
  name
    .toLowerCase()
    .replace(/[^a-z]+/g, ' ')
    .trim();

function readFields(text: string): Values {
  const values: Values = {
    ...{
      name: [],
      registered: [],
      changed: [],
      expires: [],
      registrar: [],
      status: [],
      server: [],
      signed: [],
    },
  };
  const add = (field: Field, value: string) => {
    if (value !== '' && values[field].length < MOST_VALUES) values[field].push(value);
  };
  // Some servers write the name of a field alone, and its values below: as they stand, or as "name" or "organization".
  let heading: Field | undefined;
  for (const line of text.split(/\r\n?|\n/, MOST_LINES)) {
    const [, name, value = ''] = LINE.exec(line) ?? [];
    const field = FIELD_OF.get(nameOf(name ?? line));
    if (/^\s*(?:$|[%#>])/.test(line)) heading = undefined;
    else if (field !== undefined) {
      add(field, value.trim());
      heading = value === '' ? field : undefined;
    } else if (heading !== undefined && name === undefined) add(heading, line.trim());
    else if (heading !== undefined && /^\s*(?:name|organi[sz]ation):/i.test(line)) add(heading, value.trim());
    else if (!/^\s/.test(line)) heading = undefined;
  }
  return values;
}

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');

/** A day that can be read in one way only, as ISO 8601; null for 03/04/2020 and the like. */
export function whoisDate(text: string): string | null {
  const iso =
    /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}:\d{2})(?:\.\d+)?\s*(Z|UTC|[+-]\d{2}(?::?\d{2})?)?)?/.exec(text);
  if (iso !== null) return atTime(iso[1] ?? '', iso[2], iso[3]);
  const plain = /^(\d{4})(?:([./])(\d{2})\2(\d{2})|(\d{2})(\d{2})(?!\d))/.exec(text);
  if (plain !== null) return day(plain[1], plain[3] ?? plain[5], plain[4] ?? plain[6]);
  const dotted = /^(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})\b/.exec(text);
  if (dotted !== null) return day(dotted[3], dotted[2], dotted[1]);
  const named = /^(?:[A-Za-z]{3},? )?(\d{1,2})[- ]([A-Za-z]{3})[a-z]*[- ](\d{4})\b/.exec(text);
  if (named !== null) return day(named[3], monthOf(named[2]), named[1]);
  const american =
    /^(?:[A-Za-z]{3} )?([A-Za-z]{3})[a-z]* (\d{1,2})(?: \d{2}:\d{2}:\d{2}(?: [A-Z]{3,4})?)? (\d{4})\b/.exec(
      text,
    );
  return american === null ? null : day(american[3], monthOf(american[1]), american[2]);
}

const monthOf = (name = '') => String(MONTHS.indexOf(name.toLowerCase()) + 1);
const day = (year = '', month = '', date = '') =>
  atTime(`${year}-${month.padStart(2, '0')}-${date.padStart(2, '0')}`, undefined, undefined);

function atTime(date: string, time: string | undefined, zone: string | undefined): string | null {
  const [, hours, minutes = '00'] = /^([+-]\d{2}):?(\d{2})?$/.exec(zone ?? '') ?? [];
  const at = new Date(`${date}T${time ?? '00:00:00'}${hours === undefined ? 'Z' : `${hours}:${minutes}`}`);
  if (Number.isNaN(at.getTime())) return null;
  // The thirty-first of a shorter month is no date.
  const isReal = new Date(`${date}T00:00:00Z`).toISOString().startsWith(date);
  return isReal ? at.toISOString() : null;
}

const firstDate = (values: readonly string[]) => {
  for (const value of values) {
    const date = whoisDate(value);
    if (date !== null) return date;
  }
  return null;
};

/** The registration that an answer describes; undefined when it is no word on this domain. */
export function readWhois(text: string, domain: string): WhoisAnswer {
  const values = readFields(text);
  const names = values.name.map((name) => hostOf(name)).filter((name) => name.includes('.'));
  if (names.some((name) => name !== domain)) return undefined;
  const { registered, server, registrar, status } = values;
  const isEmpty = registered.length + server.length === 0;
  if (isEmpty && NOT_FOUND.test(text)) return UNREGISTERED;
  if (names.length === 0 || (isEmpty && registrar.length + status.length === 0)) return undefined;
  return {
    found: true,
    registeredAt: firstDate(registered),
    changedAt: firstDate(values.changed),
    expiresAt: firstDate(values.expires),
    registrar: registrar[0] ?? null,
    status: status.map(statusOf),
    nameServers: server.map(hostOf),
    delegationSigned: signedOf(values.signed[0]),
  };
}

const hostOf = (value: string) => (value.split(/[\s(]/)[0] ?? '').toLowerCase().replace(/\.$/, '');

function signedOf(value: string | undefined): boolean | null {
  if (/^(?:signed|signeddelegation|yes|active)\b/i.test(value ?? '')) return true;
  return /^(?:unsigned|no|inactive)\b/i.test(value ?? '') ? false : null;
}

/** "clientHold https://icann.org/epp#clientHold" is "client hold", as registries write it in RDAP (RFC 8056). */
const statusOf = (value: string) =>
  value
    .replace(/\s*\(?https?:\S+$/, '')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .trim();
