import type { Degradation, Reason } from '../reasons.ts';
import type { AiTamperedResult } from '../resources/ai-tampered-result.ts';
import type { MediaType } from '../resources/analyze-request.ts';
import type { ClaimsResult } from '../resources/claims-result.ts';
import type { ComponentName } from '../resources/component-name.ts';
import type { DomainResult } from '../resources/domain-result.ts';
import type { TechniquesResult } from '../resources/techniques-result.ts';
import type { Ran } from './outcome.ts';

/** What the page said about itself, when the material came from one. */
export interface PageFacts {
  /** The address after redirects. */
  readonly url: string;
  readonly title: string | null;
  readonly publisher: string | null;
  readonly author: string | null;
  readonly published_at: string | null;
  readonly images: readonly string[];
  /** Notes of the extraction such as paywalled or satire. */
  readonly flags: readonly string[];
}

/** What the components analyse. Text is what offsets count in; null when there is none, with the reason. */
export interface Material {
  readonly mediaType: MediaType;
  readonly text: string | null;
  readonly reason: Reason | null;
  readonly title: string | null;
  /** ISO 639-1, or und. */
  readonly language: string;
  readonly url: string | null;
  readonly page: PageFacts | null;
}

/** The block of each component. */
export interface Blocks {
  techniques: TechniquesResult;
  ai_tampered: AiTamperedResult;
  claims: ClaimsResult;
  domain: DomainResult;
}

/** A component's answer, and the dependencies that did not do their part. */
export interface ComponentAnswer<Name extends ComponentName = ComponentName>
  extends Omit<Ran<Blocks[Name]>, 'state'> {
  readonly degraded: readonly Degradation[];
}

/** What a component says when what it rests on was lost and nothing stands in for it. */
export interface LostAnswer {
  readonly lost: Reason;
  readonly degraded: readonly Degradation[];
}

/** What one run is given beside the material. */
export interface Run {
  readonly signal: AbortSignal;
  readonly correlationId: string;
  readonly planType: number;
}

/** One of the four analyses: a port with one adapter for each component. */
export interface Component<Name extends ComponentName = ComponentName> {
  readonly name: Name;
  /** Why the component cannot say anything on this material, or null when it can. */
  inapplicable(material: Material): Reason | null;
  run(material: Material, run: Run): Promise<ComponentAnswer<Name> | LostAnswer>;
}

/** The four components by name. */
export type Components = { readonly [Name in ComponentName]: Component<Name> };
