import { createSocket, type Socket } from 'node:dgram';
import type { AddressInfo } from 'node:net';

type RecordType = 'A' | 'AAAA' | 'NS' | 'MX' | 'TXT' | 'CAA';

/** What a name has: records by type, or the way in which the server fails. */
export type Zone = Record<string, Partial<Record<RecordType, string[]>> | 'servfail' | 'silent'>;

const types: Record<number, RecordType> = { 1: 'A', 2: 'NS', 15: 'MX', 16: 'TXT', 28: 'AAAA', 257: 'CAA' };
const [NXDOMAIN, SERVFAIL] = [3, 2];

/** A name server on 127.0.0.1 that answers from a table; unknown names do not exist. */
export class TestNameServer {
  private readonly socket: Socket = createSocket('udp4');
  private readonly zone: Zone;
  queries = 0;

  constructor(zone: Zone) {
    this.zone = zone;
    this.socket.on('message', (query, from) => {
      this.queries++;
      const answer = this.answer(query);
      if (answer !== undefined) this.socket.send(answer, from.port, from.address);
    });
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.socket.bind(0, '127.0.0.1', resolve));
    return `127.0.0.1:${(this.socket.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => this.socket.close(() => resolve()));
  }

  private answer(query: Buffer): Buffer | undefined {
    const { name, type, end } = readQuestion(query);
    const entry = this.zone[name];
    if (entry === 'silent') return undefined;
    const records =
      entry === undefined || entry === 'servfail' || type === undefined ? [] : (entry[type] ?? []);
    const header = Buffer.from(query.subarray(0, 12));
    const code = entry === undefined ? NXDOMAIN : entry === 'servfail' ? SERVFAIL : 0;
    header.writeUInt16BE(0x8180 | code, 2);
    header.writeUInt16BE(records.length, 6);
    header.writeUInt16BE(0, 8);
    header.writeUInt16BE(0, 10);
    const question = query.subarray(12, end);
    return Buffer.concat([
      header,
      question,
      ...records.map((record) => resource(question, type ?? 'A', record)),
    ]);
  }
}

function readQuestion(query: Buffer): { name: string; type: RecordType | undefined; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length).toLowerCase());
    at += length + 1;
  }
  return { name: labels.join('.'), type: types[query.readUInt16BE(at + 1)], end: at + 5 };
}

function resource(question: Buffer, type: RecordType, record: string): Buffer {
  const data = recordData(type, record);
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0);
  question.copy(head, 2, question.length - 4);
  head.writeUInt32BE(300, 6);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

function recordData(type: RecordType, record: string): Buffer {
  if (type === 'A') return Buffer.from(record.split('.').map(Number));
  if (type === 'AAAA') return Buffer.from(record.replaceAll(':', ''), 'hex');
  if (type === 'NS') return encodeName(record);
  if (type === 'TXT') return Buffer.concat([Buffer.from([record.length]), Buffer.from(record)]);
  if (type === 'CAA') return Buffer.concat([Buffer.from([0, 5]), Buffer.from('issue'), Buffer.from(record)]);
  const [priority = '0', exchange = ''] = record.split(' ');
  return Buffer.concat([Buffer.from([0, Number(priority)]), encodeName(exchange)]);
}

function encodeName(name: string): Buffer {
  const labels = name.split('.').filter((label) => label !== '');
  return Buffer.concat([
    ...labels.map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)])),
    Buffer.from([0]),
  ]);
}
