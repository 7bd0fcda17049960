import type { Socket } from 'node:net';

/** Methods of RabbitMQ by their numbers in the protocol. */
export const METHODS = { declared: '50.11', cancelled: '60.31', delivered: '60.60' } as const;

/** A frame begins with its type, its channel and the length of its content, and ends with a byte of its own. */
const HEAD_BYTES = 7;
const METHOD_FRAME = 1;

interface Frame {
  readonly bytes: Buffer;
  readonly channel: number;
  /** The numbers of its method; none for what follows a method. */
  readonly method: string | undefined;
  readonly to: Socket;
}

function frameOf(bytes: Buffer, to: Socket): Frame {
  const isMethod = bytes.readUInt8(0) === METHOD_FRAME;
  const method = isMethod
    ? `${bytes.readUInt16BE(HEAD_BYTES)}.${bytes.readUInt16BE(HEAD_BYTES + 2)}`
    : undefined;
  return { bytes, channel: bytes.readUInt16BE(1), method, to };
}

/** Holds back what RabbitMQ sends over one channel while its other channels go on, as its own processes may do. */
export function createFrameHold() {
  let wanted: string | undefined;
  let held: Frame[] = [];
  const forward = (frame: Frame) => {
    const follows = held.some(({ channel, to }) => channel === frame.channel && to === frame.to);
    if (follows || (wanted !== undefined && frame.method === wanted)) held.push(frame);
    else frame.to.write(frame.bytes);
  };
  return {
    /** Carries what comes from the server. */
    carry: (from: Socket, to: Socket) => {
      let rest: Buffer = Buffer.alloc(0);
      from.on('data', (bytes: Buffer) => {
        rest = Buffer.concat([rest, bytes]);
        for (;;) {
          const length = rest.length < HEAD_BYTES ? Infinity : HEAD_BYTES + rest.readUInt32BE(3) + 1;
          if (rest.length < length) break;
          forward(frameOf(rest.subarray(0, length), to));
          rest = rest.subarray(length);
        }
      });
    },
    /** From now on holds each such method, and what follows it on its channel. */
    hold: (method: string) => {
      wanted = method;
    },
    /** How many frames are held. */
    count: () => held.length,
    /** Lets all go on, in their order. */
    release: () => {
      wanted = undefined;
      for (const { bytes, to } of held) to.write(bytes);
      held = [];
    },
  };
}
