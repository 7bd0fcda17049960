/** A fault that is told to the user in one sentence, without where it happened. */
export class Told extends Error {
  override readonly name = 'Told';
}
