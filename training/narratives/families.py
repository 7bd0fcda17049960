"""Fits models/narratives-families.json: which known narrative a passage asserts, or none.

Usage: python3 training/narratives/families.py FOLDER; FOLDER is what training/narratives-families.ts wrote. Needs numpy, scikit-learn and torch (any CPU build).
Everything is fitted five times more, each time without one fold (hands i, j, k, the hands e and l, and the hands a, f, g are in different folds; articles
and other rows are divided by their names), so that what the bounds are chosen on was scored by weights that did not see it. Hand d and the held-back
texts teach nothing.
"""
import json
import math
import re
import sys
import unicodedata
import zlib
from collections import Counter

import numpy as np
import torch
from sklearn.linear_model import LogisticRegression

FOLDER, FOLDS = sys.argv[1], 5
torch.set_num_threads(1)
HANDS = {'i': 0, 'j': 1, 'k': 2, 'l': 3, 'e': 3, 'a': 4, 'f': 4, 'g': 4}
# Chosen on hand d and on calm texts by fold.
PENALTY = {'ordinary': 0.25, 'families': 1 / 16}
LEAST_TEXTS = {'any': 4, 'narrative': 3}
GATE, NEAR_GATE, PASSAGES, LEAST_WORDS = 1.2, 1.0, 0.3, 12
# A family is named from this probability on.
CALLED = 0.26


def terms(text):
    """As termCounts of src/text/term-weights.ts."""
    marked = unicodedata.normalize('NFD', text)
    plain = ''.join(one for one in marked if not unicodedata.category(one).startswith('M')).lower()
    words = re.findall(r'\w{2,}', re.sub(r'\d+', '0', plain))
    counts = Counter(words)
    counts.update(f'{one} {two}' for one, two in zip(words, words[1:]))
    return counts


rows = [json.loads(line) for line in open(f'{FOLDER}/passages.jsonl', encoding='utf8')]
vectors = np.fromfile(f'{FOLDER}/passages.f32', dtype=np.float32).reshape(len(rows), -1)
codes = [row['code'] for row in json.load(open('data/context/narratives.json', encoding='utf8'))['families']]
labelled = {}
for line in open('training/data/narratives/hands.jsonl', encoding='utf8'):
    row = json.loads(line)
    labelled[row['id']] = row['narrative']


def read(row):
    """Family, stance and fold of a passage."""
    name, family, stance = row['set'], '', 'calm'
    if name in ('c', 'd', 'held'):
        family, stance = row['narrative'], row['stance'].replace('asserts', 'spreads')
    elif name == 'paraphrases':
        family, stance = row['narrative'], 'spreads' if row['asserts'] else 'unrelated'
    elif name in HANDS:
        loud = row['loud'] if 'loud' in row else 'low' not in row['expected']['accept']
        family = labelled.get(row['id'], '')
        stance = 'spreads' if family not in ('', 'none') else 'loud' if loud else 'calm'
    key = row['id'][:-3] if name == 'paraphrases' else row['id']
    return family, stance, HANDS.get(name, zlib.crc32(key.encode()) % FOLDS)


known = [read(row) for row in rows]
names = np.array([row['set'] for row in rows])
family = np.array([codes.index(one) if one in codes else -1 for one, _, _ in known])
none = np.array([one == 'none' for one, _, _ in known])
stance = np.array([one for _, one, _ in known])
fold = np.array([one for _, _, one in known])
count = np.array([row['windows'] for row in rows])
language = np.array([row['lang'] for row in rows])
telling = np.array([row['telling'] for row in rows])
named = np.array([[code in row['named'] for code in codes] for row in rows])
short = np.array([len(re.findall(r'[^\W\d_]+', row['passage'])) < LEAST_WORDS for row in rows])
of_hand = np.isin(names, list(HANDS))
spreads, calm = stance == 'spreads', stance == 'calm'

# How much a passage counts: a long text no more than a few short ones.
weight = np.where(calm & ~of_hand, 0.3, 0.0)
weight[names == 'mainstream'] = 0.15
weight[names == 'calm'] = 0.5
weight[names == 'c'] = 1
weight[names == 'paraphrases'] = 0.1
weight[of_hand & calm] = 0.5 / np.sqrt(count[of_hand & calm])
weight[of_hand & spreads] = np.minimum(1, 1.5 / count[of_hand & spreads])
weight[none] = 0.5 * np.minimum(1, 2 / count[none])
weight[np.isin(names, ['d', 'held', 'hyper'])] = 0
learned = weight > 0

counts = [terms(row['passage']) for row in rows]
texts, narrative = Counter(), Counter()
for at in np.nonzero(learned)[0]:
    texts.update(counts[at].keys())
    if family[at] >= 0:
        narrative.update(counts[at].keys())
vocabulary = [
    term for term, own in texts.items() if own >= LEAST_TEXTS['any'] and narrative[term] >= LEAST_TEXTS['narrative']
]
place = {term: at for at, term in enumerate(vocabulary)}
rarity = np.array([round(100 * (1 + math.log((1 + learned.sum()) / (1 + texts[term])))) for term in vocabulary])
bag = np.zeros((len(rows), len(vocabulary)), np.float32)
for at, own in enumerate(counts):
    for term, times in own.items():
        if term in place:
            bag[at, place[term]] = (1 + math.log(times)) * rarity[place[term]] / 100
bag /= np.maximum(1e-9, np.sqrt((bag * bag).sum(1, keepdims=True)))


def logistic(features, truths, weights, penalty, steps):
    """Logistic regressions side by side, both truths of each alike in weight."""
    x, y = torch.from_numpy(np.ascontiguousarray(features)), torch.from_numpy(truths.astype(np.float32))
    w = torch.from_numpy(weights.astype(np.float32))[:, None]
    yes, no = (w * y).sum(0), (w * (1 - y)).sum(0)
    w = w * torch.where(y > 0, (yes + no) / 2 / yes, (yes + no) / 2 / no)
    slopes = torch.zeros(x.shape[1], y.shape[1], requires_grad=True)
    bias = torch.zeros(y.shape[1], requires_grad=True)
    solver = torch.optim.LBFGS(
        [slopes, bias], max_iter=steps, history_size=8, line_search_fn='strong_wolfe', tolerance_grad=1e-4
    )

    def closure():
        solver.zero_grad()
        score = x @ slopes + bias
        loss = (w * torch.nn.functional.softplus(torch.where(y > 0, -score, score))).sum()
        loss = loss + 0.5 * penalty * (slopes * slopes).sum()
        loss.backward()
        return loss

    solver.step(closure)
    return slopes.detach().numpy(), bias.detach().numpy()


def fit(chosen):
    """Weights from the chosen passages, and the scores of all."""
    centred = vectors.copy()
    means = {}
    for code in ('en', 'ro'):
        means[code] = vectors[chosen & (names != 'mainstream') & (language == code)].mean(0)
        centred[language == code] -= means[code]
    told = spreads[chosen][:, None]
    ordinary = logistic(centred[chosen], told, weight[chosen], PENALTY['ordinary'], 40)
    ordinary_words = logistic(bag[chosen], told, weight[chosen], PENALTY['ordinary'], 40)
    truths = np.zeros((len(rows), len(codes)), bool)
    about = (family >= 0) & (stance != 'loud')
    truths[about, family[about]] = True
    # Every third ordinary passage: the families need no more.
    some = chosen & ((family >= 0) | (np.arange(len(rows)) % 3 == 0) | of_hand | (names == 'calm'))
    weights = np.where(names == 'paraphrases', 0.5, weight) * np.where(family < 0, 0.5, 1)
    mean = centred[:, : vectors.shape[1] // 3]
    families = logistic(mean[some], truths[some], weights[some], PENALTY['families'], 30)
    family_words = logistic(bag[some], truths[some], weights[some], PENALTY['families'], 30)
    scores = [
        (centred @ ordinary[0] + bag @ ordinary_words[0])[:, 0] + ordinary[1][0] + ordinary_words[1][0],
        mean @ families[0] + families[1],
        bag @ family_words[0] + family_words[1],
    ]
    return {'means': means, 'parts': (ordinary, ordinary_words, families, family_words), 'scores': scores}


full = fit(learned)
scores = [one.copy() for one in full['scores']]
for left in range(FOLDS):
    without = fit(learned & (fold != left))['scores']
    own = (learned | (names == 'hyper') | (stance == 'loud')) & (fold == left)
    for mine, theirs in zip(scores, without):
        mine[own] = theirs[own]
ordinary, by_vector, by_words = scores

# How the parts add up: on passages that come near the gate, of texts that the weights did not see.
likeliest = (by_vector + by_words).argmax(1)
judged = (telling >= NEAR_GATE) & ~short & ~np.isin(names, ['c', 'paraphrases', 'held', 'hyper']) & (stance != 'loud')
features, truths, weights = [], [], []
for at in np.nonzero(judged & ~(spreads & (count > 1)))[0]:
    for one in {likeliest[at], *np.nonzero(named[at])[0][:1]}:
        features.append([ordinary[at], by_vector[at, one], by_words[at, one], named[at, one]])
        truths.append(spreads[at] and one == family[at])
        refutes = names[at] == 'd' and not spreads[at]
        weights.append(2 if refutes else 1 / math.sqrt(count[at]))
line = LogisticRegression(C=10, max_iter=3000).fit(features, truths, sample_weight=weights)
parts, offset = line.coef_[0], line.intercept_[0]
odds = offset + parts[0] * ordinary[:, None] + parts[1] * by_vector + parts[2] * by_words + parts[3] * named
odds = np.where(short[:, None] & ~named, -99, odds) - PASSAGES * np.log(count)[:, None]

# The likeliest family of each text, and how probable it is: hands, their calm texts among them.
best = {}
for at in np.nonzero(telling >= GATE)[0]:
    one = (odds[at].max(), at, int(odds[at].argmax()))
    best[rows[at]['row']] = max(best.get(rows[at]['row'], one), one)
of_hands = [
    (value, spreads[at] and one == family[at])
    for value, at, one in best.values()
    if value > -50 and (names[at] in HANDS or names[at] in ('d', 'calm')) and (stance[at] != 'loud' or none[at])
]
shown = LogisticRegression(C=100).fit([[value] for value, _ in of_hands], [truth for _, truth in of_hands])
slope, base = shown.coef_[0][0], shown.intercept_[0]


def signed(values, factor):
    """Signed bytes and what one step is worth."""
    values = np.asarray(values, float) * factor
    scale = float(f'{max(1e-9, np.abs(values).max() / 127):.5g}')
    return scale, [int(value) for value in np.rint(values / scale).clip(-127, 127)]


def direction(code, values, bias, factor):
    scale, steps = signed(values, factor)
    own = {
        one: float(f'{factor * (bias - full["means"][one][: len(values)] @ values):.5g}') for one in ('en', 'ro')
    }
    return {'code': code, 'scale': scale, **own, 'direction': steps}


def output(code, values, bias, factor):
    scale, steps = signed(values, factor)
    return {'code': code, 'bias': float(f'{factor * bias:.5g}'), 'scale': scale, 'weights': steps}


telling_vector, telling_words, family_vectors, family_words = full['parts']
factors = slope * parts
outputs = [output('ordinary', telling_words[0][:, 0], telling_words[1][0], factors[0])]
for at, code in enumerate(codes):
    outputs.append(output(code, family_words[0][:, at], family_words[1][at], factors[2]))
model = {
    'words': {'terms': vocabulary, 'rarity': [int(one) for one in rarity], 'outputs': outputs},
    'ordinary': direction('ordinary', telling_vector[0][:, 0], telling_vector[1][0], factors[0]),
    'families': [
        direction(code, family_vectors[0][:, at], family_vectors[1][at], factors[1]) for at, code in enumerate(codes)
    ],
    'named': float(f'{factors[3]:.4g}'),
    'offset': float(f'{slope * offset + base:.4g}'),
    'passages': float(f'{slope * PASSAGES:.4g}'),
    'called': float(f'{math.log(CALLED / (1 - CALLED)):.4g}'),
}
with open('models/narratives-families.json', 'w', encoding='utf8') as file:
    file.write(json.dumps(model, ensure_ascii=False, separators=(',', ':')) + '\n')

def probable(value):
    return 1 / (1 + math.exp(-(slope * value + base)))


# Texts by weights that did not see them: how many have a family named, and how many the right one.
groups, called, right = Counter(), Counter(), Counter()
of_row = {}
for at, row in enumerate(rows):
    of_row[row['row']] = at
for row, at in of_row.items():
    key = (names[at], stance[at] if not none[at] else 'none', language[at])
    groups[key] += 1
    if row in best and probable(best[row][0]) >= CALLED:
        called[key] += 1
        right[key] += spreads[at] and best[row][2] == family[at]
for key in sorted(groups):
    print(*key, f'{called[key]} of {groups[key]} called, {right[key]} of the right family')


def reliability(name, pairs):
    for low, high in ((CALLED, 0.4), (0.4, 0.6), (0.6, 0.8), (0.8, 1.01)):
        own = [(p, truth) for p, truth in pairs if low <= p < high]
        if own:
            print(f'{name}: said {np.mean([p for p, _ in own]):.2f}, true {np.mean([t for _, t in own]):.2f} of {len(own)}')


reliability('hands', [(probable(value), truth) for value, truth in of_hands])
reliability(
    'held-back texts, which taught nothing',
    [(probable(v), spreads[at] and one == family[at]) for v, at, one in best.values() if names[at] == 'held'],
)
