import { type Dense, type Original, positions } from '../training/encoder/package.ts';

// Writes the sentence encoder as an ONNX file: a small part of protobuf, then the graph.

type Attribute = number | readonly number[] | { readonly float: number };

/** A field of a protobuf message. */
const varint = (value: number): number[] =>
  value < 0x80 ? [value] : [(value % 0x80) | 0x80, ...varint(Math.floor(value / 0x80))];
/** Negative numbers take ten bytes, as 64-bit ones. */
const signedVarint = (value: number): number[] => {
  if (value >= 0) return varint(value);
  const bytes: number[] = [];
  for (let rest = BigInt.asUintN(64, BigInt(value)); ; ) {
    const low = Number(rest & 0x7fn);
    rest >>= 7n;
    bytes.push(rest === 0n ? low : low | 0x80);
    if (rest === 0n) return bytes;
  }
};
const integer = (field: number, value: number) => Buffer.from([...varint(field * 8), ...signedVarint(value)]);
const bytes = (field: number, content: Buffer | string) => {
  const body = Buffer.from(content);
  return Buffer.concat([Buffer.from([...varint(field * 8 + 2), ...varint(body.length)]), body]);
};
const message = (field: number, ...parts: readonly Buffer[]) => bytes(field, Buffer.concat(parts));
const float = (field: number, value: number) => {
  const body = Buffer.alloc(4);
  body.writeFloatLE(value);
  return Buffer.concat([Buffer.from(varint(field * 8 + 5)), body]);
};

const TYPES = { float: 1, int8: 3, int64: 7 };

function attribute(name: string, value: Attribute): Buffer {
  if (typeof value === 'number') return message(5, bytes(1, name), integer(3, value), integer(20, 2));
  if ('float' in value) return message(5, bytes(1, name), float(2, value.float), integer(20, 1));
  return message(5, bytes(1, name), ...value.map((one) => integer(8, one)), integer(20, 7));
}

function valueInfo(field: number, name: string, type: number, shape: readonly (string | number)[]): Buffer {
  const sizes = shape.map((size) => message(1, typeof size === 'number' ? integer(1, size) : bytes(2, size)));
  return message(field, bytes(1, name), message(2, message(1, integer(1, type), message(2, ...sizes))));
}

/** Collects the nodes and the constants of a graph. */
function createGraph() {
  const nodes: Buffer[] = [];
  const constants: Buffer[] = [];
  const name = () => `v${nodes.length + constants.length}`;
  const constant = (shape: readonly number[], data: Float32Array | BigInt64Array | Int8Array): string => {
    const type =
      data instanceof Float32Array ? TYPES.float : data instanceof Int8Array ? TYPES.int8 : TYPES.int64;
    const raw = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
    const label = name();
    const sizes = shape.map((size) => integer(1, size));
    constants.push(message(5, ...sizes, integer(2, type), bytes(8, label), bytes(9, raw)));
    return label;
  };
  const integers = (...values: readonly number[]) =>
    constant(
      [values.length],
      BigInt64Array.from(values, (value) => BigInt(value)),
    );
  const node = (
    operation: string,
    inputs: readonly string[],
    attributes: Readonly<Record<string, Attribute>> = {},
    outputs: readonly string[] = [name()],
    domain = '',
  ): string => {
    nodes.push(
      message(
        1,
        ...inputs.map((input) => bytes(1, input)),
        ...outputs.map((output) => bytes(2, output)),
        bytes(4, operation),
        ...Object.entries(attributes).map(([key, value]) => attribute(key, value)),
        bytes(7, domain),
      ),
    );
    return outputs[0] ?? '';
  };
  return { nodes, constants, constant, integers, node, name };
}

type Graph = ReturnType<typeof createGraph>;

/** A matrix product, in floats or with the dynamic quantisation of onnxruntime (one scale an output column). */
function dense(graph: Graph, input: string, { weights, biases }: Dense, quantised: boolean): string {
  const outputs = biases.length;
  const shape = [weights.length / outputs, outputs];
  const bias = graph.constant([outputs], biases);
  if (!quantised) {
    return graph.node('Add', [graph.node('MatMul', [input, graph.constant(shape, weights)]), bias]);
  }
  const scales = new Float32Array(outputs);
  weights.forEach((weight, at) => {
    scales[at % outputs] = Math.max(scales[at % outputs] ?? 0, Math.abs(weight) / 127);
  });
  const quantisedWeights = Int8Array.from(weights, (weight, at) =>
    Math.round(weight / (scales[at % outputs] ?? 1)),
  );
  const inputs = [
    input,
    graph.constant(shape, quantisedWeights),
    graph.constant([outputs], scales),
    graph.constant([outputs], new Int8Array(outputs)),
    bias,
  ];
  return graph.node('DynamicQuantizeMatMul', inputs, {}, [graph.name()], 'com.microsoft');
}

function normalise(
  graph: Graph,
  input: string,
  [scales, biases]: readonly [Float32Array, Float32Array],
): string {
  const inputs = [input, graph.constant([scales.length], scales), graph.constant([biases.length], biases)];
  return graph.node('LayerNormalization', inputs, { axis: -1, epsilon: { float: 1e-6 } });
}

function attend(graph: Graph, source: string, width: number): string {
  const head = width / 4;
  const parts = [0, 1, 2].map((part) => `${source}_${part}`);
  graph.node('Split', [source, graph.integers(width, width, width)], { axis: -1 }, parts);
  const heads = graph.integers(0, 0, 4, head);
  const split = (part: string, order: readonly number[]) =>
    graph.node('Transpose', [graph.node('Reshape', [part, heads])], { perm: order });
  const [query = '', key = '', value = ''] = parts;
  const scaled = graph.node('Mul', [query, graph.constant([], Float32Array.of(head ** -0.5))]);
  const scores = graph.node('MatMul', [split(scaled, [0, 2, 1, 3]), split(key, [0, 2, 3, 1])]);
  const shares = graph.node('Softmax', [graph.node('Add', [scores, 'mask'])], { axis: -1 });
  const context = graph.node('MatMul', [shares, split(value, [0, 2, 1, 3])]);
  const joined = graph.node('Transpose', [context], { perm: [0, 2, 1, 3] });
  return graph.node('Reshape', [joined, graph.integers(0, 0, width)]);
}

/**
 * The encoder as an ONNX model. Inputs: `ids` [batch, pieces], `mask` [batch, 1, 1, pieces] (0, or a large negative number
 * for padding), `share` [batch, 1, pieces] (what each piece counts in the mean). Output: `vectors` [batch, 512].
 */
export function writeOnnx(original: Original, quantised: boolean): Buffer {
  const graph = createGraph();
  const { node, constant, integers } = graph;
  const table = constant(
    [original.embedding.length / 256, 256],
    original.embedding.map((value) => 2 * value),
  );
  const length = node('Gather', [node('Shape', ['ids']), integers(1)]);
  const places = node('Slice', [constant([128, 256], positions()), integers(0), length, integers(0)]);
  let state = node('Add', [node('Gather', [table, 'ids']), places]);
  for (const layer of original.layers) {
    const inner = dense(graph, normalise(graph, state, layer.attentionNorm), layer.attentionIn, quantised);
    const context = dense(graph, attend(graph, inner, layer.width), layer.attentionOut, quantised);
    const passing = layer.skip === null ? state : dense(graph, state, layer.skip, quantised);
    const middle = node('Add', [passing, context]);
    const hidden = node('Relu', [
      dense(graph, normalise(graph, middle, layer.feedNorm), layer.feedIn, quantised),
    ]);
    state = node('Add', [middle, dense(graph, hidden, layer.feedOut, quantised)]);
  }
  const mean = node('Squeeze', [node('MatMul', ['share', state]), integers(1)]);
  const bounded = node('Tanh', [dense(graph, mean, original.summary, quantised)]);
  node('LpNormalization', [bounded], { axis: -1, p: 2 }, ['vectors']);
  const operators = (domain: string, version: number) => message(8, bytes(1, domain), integer(2, version));
  return Buffer.concat([
    integer(1, 8),
    message(
      7,
      ...graph.nodes,
      bytes(2, 'encoder'),
      ...graph.constants,
      valueInfo(11, 'ids', TYPES.int64, ['batch', 'pieces']),
      valueInfo(11, 'mask', TYPES.float, ['batch', 1, 1, 'pieces']),
      valueInfo(11, 'share', TYPES.float, ['batch', 1, 'pieces']),
      valueInfo(12, 'vectors', TYPES.float, ['batch', 512]),
    ),
    operators('', 17),
    operators('com.microsoft', 1),
  ]);
}
