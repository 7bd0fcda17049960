import type { ComponentName } from '../resources/component-name.ts';
import type { MediaType } from '../resources/media-types.ts';
import type { Omission } from './outcome.ts';

/** An accepted request: checked, complete, and all that the pipeline ever reads of it. */
export interface Submission {
  readonly mediaType: MediaType;
  readonly text: string | null;
  readonly url: string | null;
  readonly mediaUrl: string | null;
  /** The stored medium that it is about. */
  readonly mediaId?: string;
  readonly userId: string;
  /** Realm and subject: whose session it is. Subjects of two realms may be equal. */
  readonly account: string;
  readonly userEmail: string | null;
  readonly sourceApp: string;
  readonly planType: number;
  readonly components: readonly ComponentName[];
  readonly skipped: readonly Omission[];
  readonly userFlagged: boolean;
  /** Quick check: only our own engines and stored data, no outside service. */
  readonly quick?: true;
  /** What is spoken in a recording, as its sender says: a code of ISO 639. */
  readonly spokenLanguage?: string;
  /** sha256 of the normalised input, hexadecimal. */
  readonly inputHash: string;
}
