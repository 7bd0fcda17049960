import { z } from 'zod';
import { singleLine } from '../../../media/image/metadata-tags.ts';
import type { Provenance } from '../resources/provenance.ts';

/** Entries of each list that are passed on: honest histories are shorter. */
const MOST_ENTRIES = 64;

const text = z
  .unknown()
  .transform((value) => singleLine(value))
  .nullable()
  .default(null);
const list = <Entry extends z.ZodType>(entry: Entry) =>
  z
    .array(z.unknown())
    .catch([])
    .transform((entries) =>
      entries.slice(0, MOST_ENTRIES).flatMap((each) => {
        const read = entry.safeParse(each);
        return read.success ? [read.data as z.output<Entry>] : [];
      }),
    );

const agent = z
  .unknown()
  .transform((value) =>
    singleLine(typeof value === 'object' && value !== null && 'name' in value ? value.name : value),
  )
  .nullable()
  .default(null);
const action = z.object({
  action: z.string().max(200),
  digitalSourceType: text,
  softwareAgent: agent,
  when: text,
});
const assertion = z.object({ label: z.string().max(200), data: z.unknown() });
const ingredient = z.object({ title: text, relationship: text, active_manifest: text });
const signature = z.object({ issuer: text, common_name: text, alg: text, time: text });
const manifest = z.object({
  title: text,
  claim_generator: text,
  claim_generator_info: list(z.object({ name: text, version: text })),
  claim_version: z.int().min(1).nullable().catch(null),
  signature_info: signature.nullable().catch(null),
  assertions: list(assertion),
  ingredients: list(ingredient),
});
const status = z.object({ code: z.string().max(200), url: text, explanation: text });
const statuses = z
  .object({ success: list(status), failure: list(status) })
  .catch({ success: [], failure: [] });

/** The answer of the C2PA reader, as far as it is used. */
export const manifestStore = z.object({
  active_manifest: text,
  manifests: z.record(z.string(), manifest).catch({}),
  validation_state: text,
  validation_results: z
    .object({
      activeManifest: statuses,
      ingredientDeltas: list(z.object({ validationDeltas: statuses })),
    })
    .catch({ activeManifest: { success: [], failure: [] }, ingredientDeltas: [] }),
});

/** The answer of the C2PA reader, as far as it is used. */
export type ManifestStore = z.infer<typeof manifestStore>;
type Manifest = z.infer<typeof manifest>;
type Status = z.infer<typeof status>;

const ACTIONS = /^c2pa\.actions(?:\.v\d+)?(?:__\d+)?$/;
const actionsData = z.object({ actions: list(action) });
const lastPart = (address: string | null) => address?.split('/').pop() ?? null;

function actionsOf({ assertions }: Manifest) {
  return assertions
    .filter(({ label }) => ACTIONS.test(label))
    .flatMap(({ data }) => actionsData.safeParse(data).data?.actions ?? [])
    .slice(0, MOST_ENTRIES);
}

/** IPTC source types that name a model. */
const GENERATED_TYPE = 'trainedAlgorithmicMedia';
const COMPOSITE_TYPE = 'compositeWithTrainedAlgorithmicMedia';
const CREATED = 'c2pa.created';

/** Whether a manifest, or the one that it is the next state of, says that a model made the file. */
function isGenerated(
  store: ManifestStore,
  label: string | null,
  seen: ReadonlySet<string> = new Set(),
): boolean {
  const one = label === null ? undefined : store.manifests[label];
  if (one === undefined || label === null || seen.has(label)) return false;
  const created = actionsOf(one).some(
    ({ action: name, digitalSourceType }) =>
      name === CREATED && lastPart(digitalSourceType) === GENERATED_TYPE,
  );
  const parents = one.ingredients.filter(({ relationship }) => relationship === 'parentOf');
  const before = new Set([...seen, label]);
  return created || parents.some(({ active_manifest }) => isGenerated(store, active_manifest, before));
}

function originOf(store: ManifestStore, types: readonly string[]): Provenance['ai_origin'] {
  if (isGenerated(store, store.active_manifest)) return 'generated';
  return types.includes(GENERATED_TYPE) || types.includes(COMPOSITE_TYPE) ? 'edited' : null;
}

const FORGED = /^(?:claimSignature|assertion\.hashedURI)\.mismatch$/;
const HASH = /^assertion\.(?:data|boxes|bmff|collection)Hash\.(match|mismatch)$/;
/** Older programs left out other bytes of the file than today's rules do: such a hash cannot be compared. */
const OTHER_RULES = /exclusion/i;

function contentOf({ success, failure }: { success: readonly Status[]; failure: readonly Status[] }) {
  // What a forged manifest says of the content is nothing.
  if (failure.some(({ code }) => FORGED.test(code))) return 'not_checked';
  const wrong = failure.filter(({ code }) => HASH.exec(code)?.[1] === 'mismatch');
  if (wrong.some(({ explanation }) => !OTHER_RULES.test(explanation ?? ''))) return 'changed';
  const isHeld = wrong.length === 0 && success.some(({ code }) => HASH.exec(code)?.[1] === 'match');
  return isHeld ? 'unchanged' : 'not_checked';
}

const labelOf = (url: string | null) => /\/c2pa\/([^/]+)/.exec(url ?? '')?.[1] ?? null;
/** Says that no list of trusted signers was given, when none was. */
const UNTRUSTED = 'signingCredential.untrusted';
const TRUSTED = 'signingCredential.trusted';

function summaryOf(label: string, one: Manifest): Provenance['manifests'][number] {
  const { signature_info: signed, claim_generator_info: made } = one;
  const [program] = made.flatMap(({ name, version }) =>
    name === null ? [] : [version === null ? name : `${name} ${version}`],
  );
  return {
    label: label.slice(0, 200),
    title: one.title,
    made_by: program ?? one.claim_generator,
    claim_version: one.claim_version,
    signature:
      signed === null
        ? null
        : {
            issuer: signed.issuer,
            common_name: signed.common_name,
            algorithm: signed.alg,
            signed_at: signed.time,
          },
    actions: actionsOf(one).map(({ action: name, digitalSourceType, softwareAgent, when }) => ({
      action: name,
      digital_source_type: lastPart(digitalSourceType),
      software_agent: softwareAgent,
      at: when,
    })),
    ingredients: one.ingredients.map(({ title, relationship, active_manifest }) => ({
      title,
      relationship,
      manifest: active_manifest,
    })),
    assertions: one.assertions.map(({ label: name }) => name),
  };
}

/** The provenance that a manifest store declares; `hasTrustList`: signers can be looked up. */
export function provenanceOf(store: ManifestStore, hasTrustList: boolean): Provenance {
  const { activeManifest: active, ingredientDeltas } = store.validation_results;
  const labels = Object.keys(store.manifests).sort(
    (one, other) => Number(other === store.active_manifest) - Number(one === store.active_manifest),
  );
  const manifests = labels
    .slice(0, MOST_ENTRIES)
    .map((label) => summaryOf(label, store.manifests[label] as Manifest));
  const types = new Set(
    manifests.flatMap(({ actions }) => actions.flatMap(({ digital_source_type: type }) => type ?? [])),
  );
  const failures = [
    ...active.failure.map((one) => ({ ...one, of_ingredient: false })),
    ...ingredientDeltas.flatMap(({ validationDeltas }) =>
      validationDeltas.failure.map((one) => ({ ...one, of_ingredient: true })),
    ),
  ].filter(({ code }) => hasTrustList || code !== UNTRUSTED);
  return {
    state: store.validation_state === 'Invalid' ? 'invalid' : 'valid',
    reason: null,
    trusted: hasTrustList ? active.success.some(({ code }) => code === TRUSTED) : null,
    content: contentOf(active),
    ai_origin: originOf(store, [...types]),
    digital_source_types: [...types],
    remote_url: null,
    active: store.active_manifest,
    manifests,
    failures: failures
      .slice(0, MOST_ENTRIES)
      .map(({ code, url, of_ingredient }) => ({ code, manifest: labelOf(url), of_ingredient })),
  };
}
