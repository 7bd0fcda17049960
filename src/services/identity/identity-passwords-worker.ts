import { hashPassword, type PasswordQuestion, passwordMatches } from './passwords.ts';

/** Whether a password belongs to a hash. */
export const matches = (question: PasswordQuestion): boolean => passwordMatches(question);

/** The hash of a new password. */
export const hash = (password: string): string => hashPassword(password);
