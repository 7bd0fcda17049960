/** One check of the doctor; `words` is a field of `limpede doctor --json`. */
export interface DoctorCheck {
  readonly name: string;
  readonly state: 'good' | 'absent' | 'wrong';
  readonly words: string;
}
