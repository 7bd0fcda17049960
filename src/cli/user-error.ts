/** An error that the user can mend: the command prints its message without a stack. */
export class UserError extends Error {
  override readonly name = 'UserError';
}
