/** One thing that was looked for on this machine. */
export interface DoctorCheck {
  readonly name: string;
  readonly state: 'good' | 'absent' | 'wrong';
  readonly words: string;
}
