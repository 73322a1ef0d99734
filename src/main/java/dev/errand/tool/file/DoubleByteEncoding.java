package dev.errand.tool.file;

import java.nio.charset.Charset;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The encodings of Chinese, Japanese and Korean, recognised in short texts: their common characters
 * have first bytes of their own.
 */
enum DoubleByteEncoding {
  SHIFT_JIS("windows-31j") {
    @Override
    boolean isLead(int octet) {
      return octet >= 0x81 && octet <= 0x9F || octet >= 0xE0 && octet <= 0xFC;
    }

    @Override
    boolean isCommon(int lead, int trail) {
      return lead >= 0x81 && lead <= 0x83 || lead >= 0x88 && lead <= 0x97;
    }
  },
  EUC_JP("EUC-JP") {
    /** Returns whether the character is a kana, or a kanji of the first level. */
    @Override
    boolean isCommon(int lead, int trail) {
      return trail >= FIRST && (lead == FIRST || isKana(lead) || lead >= 0xB0 && lead <= 0xCF);
    }

    @Override
    boolean isRequired(int lead) {
      return isKana(lead);
    }

    private static boolean isKana(int lead) {
      return lead == 0xA4 || lead == 0xA5;
    }
  },
  EUC_KR("EUC-KR", "x-windows-949") {
    @Override
    boolean isCommon(int lead, int trail) {
      return trail >= FIRST && (lead == FIRST || lead >= 0xB0 && lead <= 0xC8);
    }
  },
  CHINESE("GBK", "GB18030") {
    @Override
    boolean isCommon(int lead, int trail) {
      return trail >= FIRST && (lead == FIRST || lead == 0xA3 || lead >= 0xB0 && lead <= 0xD7);
    }
  },
  BIG5("Big5", "Big5-HKSCS") {
    @Override
    boolean isCommon(int lead, int trail) {
      return lead == FIRST || lead >= 0xA4 && lead <= 0xC6;
    }
  };

  private static final int FIRST = 0xA1;
  private static final int MIN_PAIRS = 2;

  /** From the smallest: what a file does not use is not written into it. */
  private final List<Charset> charsets;

  DoubleByteEncoding(String... charsets) {
    this.charsets = Arrays.stream(charsets).map(Charset::forName).toList();
  }

  /** Returns the encoding that all bytes fit, if most of the characters are common. */
  static Optional<Charset> of(byte[] content, boolean isWhole) {
    return Stream.of(values())
        .filter(encoding -> encoding.fits(content))
        .flatMap(encoding -> encoding.charsets.stream())
        .filter(charset -> TextEncoding.decodes(charset, content, isWhole))
        .findFirst();
  }

  /** Returns the charset that files of this encoding have in fact. */
  static Charset wellKnown(Charset charset) {
    return charset.name().equals("Shift_JIS") ? SHIFT_JIS.charsets.getFirst() : charset;
  }

  boolean isLead(int octet) {
    return octet >= FIRST && octet <= 0xFE;
  }

  abstract boolean isCommon(int lead, int trail);

  /** Returns whether the encoding is recognised by these characters only. */
  boolean isRequired(int lead) {
    return true;
  }

  private boolean fits(byte[] content) {
    var pairs = 0;
    var common = 0;
    var required = 0;
    var adjacent = 0;
    var end = -1;
    var bytes = new BitSet();
    for (int at = 0; at + 1 < content.length; at++) {
      if (content[at] >= 0) {
        continue;
      }
      var lead = content[at] & 0xFF;
      var trail = content[at + 1] & 0xFF;
      pairs++;
      bytes.set(lead);
      bytes.set(trail);
      common += isLead(lead) && isCommon(lead, trail) ? 1 : 0;
      required += isRequired(lead) ? 1 : 0;
      adjacent += at == end ? 1 : 0;
      end = at + 2;
      at += isLead(lead) ? 1 : 0;
    }
    return pairs >= MIN_PAIRS
        && bytes.cardinality() > MIN_PAIRS
        && 7 * common >= 6 * pairs
        && 5 * required >= pairs
        && 4 * adjacent >= pairs;
  }
}
