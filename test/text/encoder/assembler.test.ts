import { describe, expect, it } from 'vitest';
import {
  assemble,
  count,
  defineFunction,
  type FunctionSource,
  f32,
  i32,
  repeatWhile,
  sequence,
  v128,
  when,
} from '../../../src/text/encoder/assembler.ts';

const memory = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });

function compile(source: FunctionSource): (...numbers: readonly number[]) => void {
  const module = new WebAssembly.Module(assemble([source], 1));
  const code = new WebAssembly.Instance(module, { encoder: { memory } }).exports[source.name];
  if (typeof code !== 'function') throw new Error('no such function');
  return (...numbers) => void code(...numbers);
}

const words = new Int32Array(memory.buffer);
const floats = new Float32Array(memory.buffer);

describe('assemble', () => {
  it.each([0, 1, -1, 63, 64, -64, -65, 127, 128, 8191, -8192, 2 ** 31 - 1, -(2 ** 31)])(
    'writes the constant %d',
    (value) => {
      compile(defineFunction('f', [], () => i32.store(i32.constant(0), i32.constant(value))))();
      expect(words[0]).toBe(value);
    },
  );

  it('counts, repeats and decides', () => {
    const source = defineFunction('f', ['from', 'to'], (p, scope) => {
      const [at, sum] = [scope.i32(), scope.i32()];
      return sequence(
        sum.set(i32.constant(0)),
        count(at, { from: p.from, to: p.to, step: 2 }, sum.set(i32.add(sum, at))),
        repeatWhile(i32.lessThan(at, i32.constant(100)), at.set(i32.add(at, at))),
        i32.store(i32.constant(0), sum),
        when(i32.lessThan(sum, i32.constant(10)), i32.store(i32.constant(0), i32.constant(-7))),
        i32.store(i32.constant(300), at, 4),
      );
    });
    const f = compile(source);
    f(1, 10);
    expect([words[0], words[76]]).toEqual([1 + 3 + 5 + 7 + 9, 176]);
    f(1, 4);
    expect(words[0]).toBe(-7);
  });

  it('keeps parameters and locals of each type apart', () => {
    const source = defineFunction('f', ['address', 'number'], (p, scope) => {
      const [scale, vector] = [scope.f32(), scope.v128()];
      return sequence(
        scale.set(f32.div(f32.fromInteger(p.number), f32.constant(8))),
        vector.set(v128.addF32(v128.splatF32(scale), v128.load(p.address))),
        v128.store(p.address, vector, 16),
        f32.store(p.address, f32.squareRoot(v128.laneF32(vector, 2)), 32),
      );
    });
    floats.set([1, 2, 3, 4], 16);
    compile(source)(64, 50);
    expect([...floats.subarray(20, 25)]).toEqual([7.25, 8.25, 9.25, 10.25, Math.fround(Math.sqrt(9.25))]);
  });

  it('is refused by the engine when a statement leaves a value behind', () => {
    const broken = defineFunction('f', [], () => i32.constant(1).code);
    expect(WebAssembly.validate(assemble([broken], 1))).toBe(false);
  });
});
